package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest {

  @TempDir Path tmp;

  @Test
  void a_folder_for_the_library_that_other_users_can_write_is_refused() throws Exception {
    Path data = tmp.resolve("data");
    String name =
        "feedbridge-native-" + Integer.toHexString(data.toAbsolutePath().normalize().hashCode());
    Path prepared = Files.createDirectory(tmp.resolve(name));
    Files.setPosixFilePermissions(prepared, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThatThrownBy(() -> NativeLibrary.unpackBelow(tmp, data))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("other users can write it");
  }
}
