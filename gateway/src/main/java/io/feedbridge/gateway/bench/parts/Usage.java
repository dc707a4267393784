package io.feedbridge.gateway.bench.parts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Memory and disk that a process has used, as Linux reports it; empty on other systems. */
public final class Usage {

  private Usage() {}

  /** The most that it had in RAM so far. */
  public static Optional<Long> peakBytes(long pid) {
    return number(pid, "status", "VmHWM:").map(kib -> kib << 10);
  }

  /** Bytes that it had the disk write so far. */
  public static Optional<Long> writtenBytes(long pid) {
    return number(pid, "io", "write_bytes:");
  }

  private static Optional<Long> number(long pid, String file, String name) {
    Path path = Path.of("/proc", Long.toString(pid), file);
    try {
      return Files.readString(path, StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(name))
          .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
