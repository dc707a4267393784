package io.feedbridge.gateway.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The memory of a process, as Linux reports it. */
final class Memory {

  private static final String PEAK = "VmHWM:";

  private Memory() {}

  /** The most that it had in RAM so far; empty on other systems. */
  static Optional<Long> peakBytes(long pid) {
    Path status = Path.of("/proc", Long.toString(pid), "status");
    try {
      return Files.readString(status, StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(PEAK))
          .map(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
