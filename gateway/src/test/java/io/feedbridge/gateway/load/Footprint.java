package io.feedbridge.gateway.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a gateway holds.
 *
 * @param heap used, in bytes
 * @param buffers direct ones that the JVM knows of, in bytes
 * @param mapped mapped ones, in bytes
 * @param unsafe other native memory, such as that of Netty's arenas, in bytes; 0 where it was not
 *     asked for
 * @param resident bytes in RAM
 * @param threads that run Java
 * @param descriptors that are open
 * @param wal bytes of the store's write-ahead log
 */
record Footprint(
    long heap,
    long buffers,
    long mapped,
    long unsafe,
    long resident,
    int threads,
    int descriptors,
    long wal) {

  /** Of the process's JVM; needs {@code -XX:NativeMemoryTracking=summary}. */
  private static final Pattern OTHER =
      Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

  /** How it is now. */
  static Footprint of(GatewayProcess gateway, Path data) throws IOException {
    return of(gateway, data, 0);
  }

  /** What remains after garbage is collected. */
  static Footprint afterCollection(GatewayProcess gateway, Path data) throws IOException {
    // The first frees what waits for its finalization or cleaner, the second the rest.
    jcmd(gateway, "GC.run");
    jcmd(gateway, "GC.run");
    Matcher other = OTHER.matcher(jcmd(gateway, "VM.native_memory", "summary"));
    return of(gateway, data, other.find() ? Long.parseLong(other.group(1)) << 10 : 0);
  }

  private static Footprint of(GatewayProcess gateway, Path data, long unsafe) throws IOException {
    Scrape scrape = Scrape.of(gateway);
    ProcessFigures process = ProcessFigures.of(gateway.pid());
    Path wal = data.resolve("feedbridge.db-wal");
    return new Footprint(
        scrape.heapBytes(),
        (long) scrape.sum("jvm_buffer_memory_used_bytes", "id=\"direct\""),
        (long) scrape.sum("jvm_buffer_memory_used_bytes", "mapped"),
        unsafe,
        process.residentBytes(),
        (int) scrape.value("jvm_threads_live_threads"),
        process.descriptors(),
        Files.exists(wal) ? Files.size(wal) : 0);
  }

  private static String jcmd(GatewayProcess gateway, String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
            Long.toString(gateway.pid()));
    builder.command().addAll(List.of(command));
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IllegalStateException("jcmd failed: " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return said;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "heap %.1f, direct %.1f, mapped %.1f, other native %.1f, resident %.0f, WAL %.1f MiB;"
            + " %d threads, %d descriptors",
        mebi(heap),
        mebi(buffers),
        mebi(mapped),
        mebi(unsafe),
        mebi(resident),
        mebi(wal),
        threads,
        descriptors);
  }

  static double mebi(long bytes) {
    return bytes / (double) (1 << 20);
  }
}
