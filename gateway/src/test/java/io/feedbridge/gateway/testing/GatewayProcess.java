package io.feedbridge.gateway.testing;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * The gateway in a process of its own, from the jar that users run. It ends with this object at the
 * latest.
 */
public final class GatewayProcess implements AutoCloseable {

  private static final Duration READY_WITHIN = Duration.ofSeconds(30);
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);
  private static final String LOOPBACK = String.join(",", TestGateway.LOOPBACK);

  private final Process process;
  private final int port;
  private final Path log;
  private final Http http = new Http();

  private GatewayProcess(Process process, int port, Path log) {
    this.process = process;
    this.port = port;
    this.log = log;
  }

  /**
   * How the process ended.
   *
   * @param code its exit code
   * @param took from the signal, or from the start, to the end
   * @param errors all it wrote to stderr
   */
  public record Exit(int code, Duration took, String errors) {}

  /** Starts a gateway on a data folder and a port, with further options, and waits until ready. */
  public static GatewayProcess start(Path data, int port, String... more) {
    GatewayProcess gateway = launch(data, port, more);
    try {
      gateway.awaitReady();
    } catch (RuntimeException | Error e) {
      gateway.close();
      throw e;
    }
    return gateway;
  }

  /** {@link #start} without the wait. */
  public static GatewayProcess launch(Path data, int port, String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                java(),
                "-Xmx256m",
                // A process that lives for seconds gains nothing by a second compiler.
                "-XX:TieredStopAtLevel=1",
                "-jar",
                jar(),
                "serve",
                "--listen=127.0.0.1:" + port,
                "--data=" + data,
                "--allow-fetch=" + LOOPBACK,
                "--allow-callback=" + LOOPBACK));
    command.addAll(List.of(more));
    try {
      Path log = Files.createTempFile("feedbridge", ".log");
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().keySet().removeIf(name -> name.startsWith("FEEDBRIDGE_"));
      builder.redirectErrorStream(true).redirectOutput(log.toFile());
      return new GatewayProcess(builder.start(), port, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A port on which nothing listens. */
  public static int freePort() {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String java() {
    return System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
  }

  private static String jar() {
    String jar = System.getProperty("feedbridge.jar");
    if (jar == null || !Files.isRegularFile(Path.of(jar))) {
      throw new AssertionError("the system property feedbridge.jar names no jar: " + jar);
    }
    return jar;
  }

  /** Waits until {@code /health} says that the gateway is up. */
  public void awaitReady() {
    await()
        .atMost(READY_WITHIN)
        .pollInterval(Duration.ofMillis(20))
        .failFast(
            () -> {
              if (!process.isAlive()) {
                throw new AssertionError("the gateway ended:\n" + errors());
              }
            })
        .until(this::healthy);
  }

  private boolean healthy() {
    try {
      return http.get(url("/health")).statusCode() == 200;
    } catch (CompletionException e) {
      return false;
    }
  }

  /** The URL of a path, which starts with a slash. */
  public String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  /** POST of a form given as alternating names and values. */
  public HttpResponse<String> form(String path, String... namesAndValues) {
    return http.form(url(path), namesAndValues);
  }

  /** {@link #form}, without waiting. */
  public CompletableFuture<HttpResponse<String>> formAsync(String path, String... namesAndValues) {
    return http.formAsync(url(path), namesAndValues);
  }

  /** The value of a meter without labels, or of one line with them, as {@code /metrics} has it. */
  public double meter(String line) {
    return Metrics.value(http.get(url("/metrics")).body(), line);
  }

  /** What the process wrote to stderr so far. */
  public String errors() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL: the process gets no chance to do anything. Returns when it is gone. */
  public void kill9() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** SIGTERM; waits for the end. */
  public Exit terminate() {
    long start = System.nanoTime();
    process.destroy();
    return exit(start);
  }

  /** Waits for the end of a process that ends by itself. */
  public Exit exit() {
    return exit(System.nanoTime());
  }

  private Exit exit(long start) {
    int code = awaitEnd();
    return new Exit(code, Duration.ofNanos(System.nanoTime() - start), errors());
  }

  private int awaitEnd() {
    try {
      if (!process.waitFor(ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("the gateway does not end:\n" + errors());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the gateway's end", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitEnd();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
