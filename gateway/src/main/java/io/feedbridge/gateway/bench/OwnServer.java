package io.feedbridge.gateway.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A PostgreSQL server of the bench's own, on a folder that is empty and a port that is free. */
final class OwnServer implements AutoCloseable {

  private static final Duration STARTS_WITHIN = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private static final Logger log = LoggerFactory.getLogger(OwnServer.class);

  /** Where Debian keeps the programs of its versions. */
  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

  /** The server ends when its input does, and so at the latest with this process. */
  private static final String UNTIL_INPUT_ENDS =
      "exec 3<&0; \"$@\" & server=$!; (cat <&3 > /dev/null; kill -INT $server) & wait $server";

  private final Process process;
  private final String url;

  private OwnServer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /**
   * Starts a server, and waits until it takes connections.
   *
   * @param folder of its own
   * @param places folders that may have the programs of the server
   * @throws BenchException with the reason and the remedy, if it does not come up
   */
  static OwnServer start(Path folder, List<Path> places) throws BenchException, IOException {
    Path programs = programs(places);
    Path data = folder.resolve("postgresql");
    Path log = folder.resolve("postgresql.log");
    // Other users of the machine reach the port as well.
    String password = UUID.randomUUID().toString();
    Path secret = Files.writeString(folder.resolve("postgresql.password"), password);
    List<String> make =
        List.of(
            programs.resolve("initdb").toString(),
            "-U",
            "bench",
            "-A",
            "scram-sha-256",
            "--pwfile=" + secret,
            "-D");
    run(unprivileged(make, data.toString()), log);
    int port = Processes.freePort();
    List<String> serve =
        List.of(
            programs.resolve("postgres").toString(),
            "-h",
            "127.0.0.1",
            "-p",
            Integer.toString(port),
            "-k",
            "",
            "-D");
    List<String> shell = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh"));
    shell.addAll(unprivileged(serve, data.toString()));
    OwnServer server =
        new OwnServer(
            to(log, shell).start(),
            "jdbc:postgresql://127.0.0.1:%d/postgres?user=bench&password=%s"
                .formatted(port, password));
    server.await(log);
    return server;
  }

  /** PostgreSQL does not run for the superuser, but for one that is none outside. */
  private static List<String> unprivileged(List<String> command, String last) {
    List<String> all = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) {
      all.addAll(List.of("unshare", "--user"));
    }
    all.addAll(command);
    all.add(last);
    return all;
  }

  /** The folders of PATH, and the folders where Debian keeps the programs. */
  static List<Path> places() throws IOException {
    String path = System.getenv().getOrDefault("PATH", "");
    List<Path> places =
        new ArrayList<>(Stream.of(path.split(File.pathSeparator)).map(Path::of).toList());
    if (Files.isDirectory(DEBIAN)) {
      try (Stream<Path> versions = Files.list(DEBIAN)) {
        versions.forEach(version -> places.add(version.resolve("bin")));
      }
    }
    return places;
  }

  private static Path programs(List<Path> places) throws BenchException {
    return places.stream()
        .filter(folder -> Files.isExecutable(folder.resolve("initdb")))
        .findFirst()
        .orElseThrow(
            () ->
                new BenchException(
                    "--store=postgresql: the program initdb of PostgreSQL is not in the PATH."
                        + " Install PostgreSQL, or name a server: --store=jdbc:postgresql://…"));
  }

  private static ProcessBuilder to(Path log, List<String> command) {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
  }

  private static void run(List<String> command, Path log) throws BenchException, IOException {
    try {
      if (to(log, command).start().waitFor() != 0) {
        throw failed(log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("The bench was interrupted", e);
    }
  }

  private static BenchException failed(Path log) throws IOException {
    return new BenchException(
        "--store=postgresql: the server does not start:\n" + Files.readString(log));
  }

  private void await(Path log) throws BenchException, IOException {
    long end = System.nanoTime() + STARTS_WITHIN.toNanos();
    while (!takesConnections()) {
      if (!process.isAlive() || System.nanoTime() > end) {
        close();
        throw failed(log);
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
  }

  private boolean takesConnections() {
    try (var connection = DriverManager.getConnection(url)) {
      return connection.isValid(1);
    } catch (SQLException notYet) {
      return false;
    }
  }

  /** The JDBC URL of a database whose login may make others. */
  String url() {
    return url;
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor(STARTS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      log.atWarn().setCause(e).log("The bench's PostgreSQL server could not be told to end");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
    }
  }
}
