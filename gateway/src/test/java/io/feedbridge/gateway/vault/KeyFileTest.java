package io.feedbridge.gateway.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {

  @TempDir private Path folder;

  @Test
  void a_key_is_made_once_for_its_owner_alone_and_read_again() throws IOException {
    KeyFile file = KeyFile.in(folder);
    assertThat(file.read()).isEmpty();

    Sealed sealed = file.make(new SecureRandom()).seal("secret", "kind");

    assertThat(file.read().orElseThrow().openText(sealed, "kind")).isEqualTo("secret");
    Path path = folder.resolve(KeyFile.NAME);
    assertThat(Files.getPosixFilePermissions(path))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.readString(path)).hasSize(45).endsWith("\n");
    assertThatThrownBy(() -> file.make(new SecureRandom()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.toString());
    assertThat(file.read().orElseThrow().openText(sealed, "kind")).isEqualTo("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no base64!", "AAAA", "AAAA\nAAAA"})
  void a_damaged_one_is_refused(String text) throws IOException {
    Path path = Files.writeString(folder.resolve("key"), text);
    assertThatThrownBy(() -> new KeyFile(path).read())
        .isInstanceOf(IOException.class)
        .hasMessage("the key file " + path + " is damaged: restore it from a backup");
  }

  @Test
  void one_that_cannot_be_read_is_told() throws IOException {
    Path path = Files.createDirectory(folder.resolve("key"));
    assertThatThrownBy(() -> new KeyFile(path).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot be read");
  }
}
