package io.feedbridge.gateway.store.sqlite.search;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The run of the operating system, which a loss of power ends and a kill of the process does not.
 */
final class Boot {

  private static final Path NAME = Path.of("/proc/sys/kernel/random/boot_id");

  private Boot() {}

  /** Its name, which no other run has; empty where the operating system does not tell. */
  static Optional<String> current() {
    try {
      return Optional.of(Files.readString(NAME).strip()).filter(name -> !name.isEmpty());
    } catch (IOException unknown) {
      return Optional.empty();
    }
  }
}
