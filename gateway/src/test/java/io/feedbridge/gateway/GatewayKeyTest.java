package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayKeyTest {

  private final SecureRandom random = new SecureRandom();
  @TempDir Path folder;

  private Path file() {
    return folder.resolve("feedbridge.key");
  }

  @Test
  void it_is_32_bytes_that_only_the_owner_may_read() throws IOException {
    assertThat(GatewayKey.of(folder, random)).hasSize(32);
    assertThat(Files.getPosixFilePermissions(file()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void it_is_made_once_and_then_kept() {
    byte[] first = GatewayKey.of(folder, random);
    assertThat(GatewayKey.of(folder, random)).isEqualTo(first);
  }

  @Test
  void each_folder_has_its_own(@TempDir Path other) {
    assertThat(GatewayKey.of(folder, random)).isNotEqualTo(GatewayKey.of(other, random));
  }

  @Test
  void one_that_a_crash_left_half_made_is_made_anew() throws IOException {
    Files.write(folder.resolve("feedbridge.key.new"), new byte[] {1, 2, 3});
    byte[] key = GatewayKey.of(folder, random);
    assertThat(key).hasSize(32).isEqualTo(Files.readAllBytes(file()));
    assertThat(Files.getPosixFilePermissions(file()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(folder).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void one_of_another_length_is_refused_and_left_as_it_is() throws IOException {
    Files.write(file(), new byte[] {1, 2, 3});
    assertThatThrownBy(() -> GatewayKey.of(folder, random))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file().toString())
        .hasMessageContaining("damaged");
    assertThat(file()).hasBinaryContent(new byte[] {1, 2, 3});
  }

  @Test
  void a_folder_that_cannot_be_used_is_told() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> GatewayKey.of(missing, random))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cannot be used: there is no " + missing);
  }
}
