package io.feedbridge.gateway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayKeyTest {

  private final SecureRandom random = new SecureRandom();
  @TempDir Path folder;

  private Path file() {
    return folder.resolve("feedbridge.key");
  }

  private <T> T opened(Path data, Function<Store, T> use) {
    try (SqliteDatabase database = SqliteDatabase.open(data, Runnable::run)) {
      return use.apply(new Store(database));
    }
  }

  /** The key that a start on a data folder finds or makes. */
  private byte[] key(Path data) {
    return opened(data, store -> GatewayKey.of(store, data, random));
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void it_is_32_bytes_and_kept_in_the_store_alone() {
    assertThat(key(folder)).hasSize(32);
    assertThat(file()).doesNotExist();
  }

  @Test
  void it_is_made_once_and_then_kept() {
    byte[] first = key(folder);
    assertThat(key(folder)).isEqualTo(first);
  }

  @Test
  void each_store_has_its_own(@TempDir Path other) {
    assertThat(key(folder)).isNotEqualTo(key(other));
  }

  @Test
  void the_file_of_an_earlier_version_is_taken_over_and_then_removed() throws IOException {
    byte[] kept = bytes(32);
    Files.write(file(), kept);

    assertThat(key(folder)).isEqualTo(kept);

    assertThat(file()).doesNotExist();
    assertThat(key(folder)).isEqualTo(kept);
  }

  @Test
  void the_file_is_removed_only_after_the_key_is_on_disk() throws IOException {
    byte[] kept = bytes(32);
    Files.write(file(), kept);

    boolean there =
        opened(
            folder,
            store ->
                store
                    .key(
                        () -> {
                          assertThat(file()).exists();
                          return GatewayKeyTest.this.readFile();
                        })
                    .thenApply(durable -> Files.exists(file()))
                    .join());

    assertThat(there).isTrue();
    // As after a crash in between: the next start finds both.
    assertThat(key(folder)).isEqualTo(kept);
    assertThat(file()).doesNotExist();
  }

  private byte[] readFile() {
    try {
      return Files.readAllBytes(file());
    } catch (IOException e) {
      throw new StoreException("cannot be read", e);
    }
  }

  @Test
  void a_file_that_is_not_the_stores_key_is_left_alone() throws IOException {
    byte[] first = key(folder);
    byte[] other = bytes(32);
    Files.write(file(), other);

    assertThat(key(folder)).isEqualTo(first);

    assertThat(file()).hasBinaryContent(other);
  }

  @Test
  void a_file_of_another_length_is_refused_and_left_as_it_is() throws IOException {
    Files.write(file(), new byte[] {1, 2, 3});
    assertThatThrownBy(() -> key(folder))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file().toString())
        .hasMessageContaining("damaged");
    assertThat(file()).hasBinaryContent(new byte[] {1, 2, 3});
  }

  @Test
  void a_file_that_cannot_be_read_is_told() throws IOException {
    Files.createDirectory(file());
    assertThatThrownBy(() -> key(folder))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the key file " + file() + " cannot be used");
  }
}
