package io.feedbridge.gateway.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What Linux says of a process.
 *
 * @param residentBytes of its memory, in RAM
 * @param threads of all kinds
 * @param descriptors that are open
 */
record ProcessFigures(long residentBytes, int threads, int descriptors) {

  static ProcessFigures of(long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    String status = Files.readString(process.resolve("status"), StandardCharsets.UTF_8);
    try (Stream<Path> open = Files.list(process.resolve("fd"))) {
      return new ProcessFigures(
          number(status, "VmRSS:") << 10, (int) number(status, "Threads:"), (int) open.count());
    }
  }

  private static long number(String status, String name) {
    return status
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.replaceAll("\\D", ""))
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElseThrow();
  }
}
