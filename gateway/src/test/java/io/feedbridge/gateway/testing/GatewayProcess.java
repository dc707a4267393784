package io.feedbridge.gateway.testing;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.jspecify.annotations.Nullable;

/**
 * The gateway in a process of its own, from the jar that users run. It ends with this object at the
 * latest.
 */
public final class GatewayProcess implements AutoCloseable {

  private static final Duration READY_WITHIN = Duration.ofSeconds(90);
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);
  private static final String MAIN = "io.feedbridge.gateway.cli.Main";
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
    return new Command(data, port).with(more).launch();
  }

  /** {@link #launch} with further options of the JVM, which win over those that are usual here. */
  public static GatewayProcess launchWith(List<String> jvm, Path data, int port, String... more) {
    return new Command(data, port).jvm(jvm).with(more).launch();
  }

  /** How a gateway is started. Never changed: each method gives another one. */
  public static final class Command {

    private final Path data;
    private final int port;
    private final List<String> prefix;
    private final List<String> jvm;
    private final @Nullable Path classes;
    private final List<String> options;

    /** The jar as users run it, on a data folder and a port. */
    public Command(Path data, int port) {
      this(data, port, List.of(), List.of(), null, List.of());
    }

    private Command(
        Path data,
        int port,
        List<String> prefix,
        List<String> jvm,
        @Nullable Path classes,
        List<String> options) {
      this.data = data;
      this.port = port;
      this.prefix = prefix;
      this.jvm = jvm;
      this.classes = classes;
      this.options = options;
    }

    /** With further options of {@code serve}. */
    public Command with(String... more) {
      return new Command(data, port, prefix, jvm, classes, List.of(more));
    }

    /** With a system property of the JVM. */
    public Command property(String name, String value) {
      List<String> all = new ArrayList<>(jvm);
      all.add("-D" + name + "=" + value);
      return new Command(data, port, prefix, all, classes, options);
    }

    /** With further options of the JVM. */
    Command jvm(List<String> more) {
      List<String> all = new ArrayList<>(jvm);
      all.addAll(more);
      return new Command(data, port, prefix, all, classes, options);
    }

    /** With these classes in place of the jar's own of the same names. */
    public Command classes(@Nullable Path folder) {
      return new Command(data, port, prefix, jvm, folder, options);
    }

    /** By another program, such as a tracer, that runs what follows its own arguments. */
    public Command by(String... program) {
      return new Command(data, port, List.of(program), jvm, classes, options);
    }

    /** Starts it, without waiting for anything. */
    public GatewayProcess launch() {
      List<String> serve =
          new ArrayList<>(
              List.of(
                  "serve",
                  "--listen=127.0.0.1:" + port,
                  "--data=" + data,
                  "--allow-fetch=" + LOOPBACK,
                  "--allow-callback=" + LOOPBACK));
      serve.addAll(options);
      return run(serve);
    }

    /** Starts another command of the jar on the same data, without waiting for anything. */
    public GatewayProcess backUp(Path file) {
      return run(List.of("backup", file.toString(), "--data=" + data));
    }

    private GatewayProcess run(List<String> arguments) {
      List<String> command = new ArrayList<>(prefix);
      command.addAll(shortLived());
      command.addAll(jvm);
      if (classes == null) {
        command.addAll(List.of("-jar", jar()));
      } else {
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-cp", classes + File.pathSeparator + jar(), MAIN));
      }
      command.addAll(arguments);
      return GatewayProcess.launch(command, port);
    }
  }

  private static GatewayProcess launch(List<String> command, int port) {
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

  /** Runs a command of the jar other than {@code serve} to its end. */
  public static Exit command(String... arguments) {
    try (GatewayProcess process = launch(ofJar(arguments), 0)) {
      return process.exit();
    }
  }

  /** {@link #command} for one that takes longer. */
  public static Exit command(Duration within, String... arguments) {
    try (GatewayProcess process = launch(ofJar(arguments), 0)) {
      await().atMost(within).pollInterval(Duration.ofMillis(50)).until(() -> !process.isAlive());
      return process.exit();
    }
  }

  private static List<String> ofJar(String... arguments) {
    List<String> command = new ArrayList<>(shortLived());
    command.addAll(List.of("-jar", jar()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** A JVM that lives for seconds: a second compiler gains nothing, and classes are at hand. */
  private static List<String> shortLived() {
    String java =
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    List<String> command = new ArrayList<>(List.of(java, "-Xmx256m", "-XX:TieredStopAtLevel=1"));
    // The build keeps it beside the jar; with another jar or other classes the JVM does without.
    Path classData = Path.of(jar()).resolveSibling("feedbridge.jsa");
    if (Files.isRegularFile(classData)) {
      command.add("-XX:SharedArchiveFile=" + classData);
    }
    return command;
  }

  /** The jar that is tested. */
  public static String jar() {
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

  /** Whether {@code /ready} says that the gateway takes requests. */
  public boolean healthy() {
    try {
      return http.get(url("/ready")).statusCode() == 200;
    } catch (CompletionException e) {
      return false;
    }
  }

  /** The URL of a path, which starts with a slash. */
  public String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  /** GET. */
  public HttpResponse<String> get(String path) {
    return http.get(url(path));
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

  /** All that {@code /metrics} says. */
  public String metrics() {
    return http.get(url("/metrics")).body();
  }

  /** The operating system's number of the process. */
  public long pid() {
    return process.pid();
  }

  /** The file that the process writes its output to. */
  public Path log() {
    return log;
  }

  /** What the process wrote to stderr so far. */
  public String errors() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the process runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Completes with the exit code. */
  public CompletableFuture<Integer> ended() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /** SIGTERM, without waiting for what comes of it. */
  public void signal() {
    process.destroy();
  }

  /** SIGSTOP: the process does nothing until {@link #resume}, and does not know it. */
  public void suspend() {
    send(pid(), "STOP");
  }

  /** SIGCONT. */
  public void resume() {
    send(pid(), "CONT");
  }

  /** Sends a signal to any process of the tests. */
  static void send(long pid, String signal) {
    try {
      int code = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
      if (code != 0) {
        throw new AssertionError("kill ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while sending a signal", e);
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
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    awaitEnd();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
