package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.testing.TcpProxy;
import io.feedbridge.gateway.vault.KeyFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Nodes on one database, each a process with a network of its own to the database, behind one
 * balancer that leads each connection of a caller to any node which is ready, and to a standby
 * while no node is.
 */
final class Fleet implements AutoCloseable {

  private static final Duration LONG = Duration.ofMinutes(3);

  /** Lines of a node's log in the message of a failure. */
  private static final int LOG_LINES = 40;

  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(1);

  private final Path folder;
  private final String database;
  private final @Nullable Path classes;
  private final List<String> more;
  private final StoredRows rows;
  private final TcpProxy balancer = new TcpProxy(0);
  private final List<Node> nodes;
  private final List<String> errors = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor();
  private volatile @Nullable Node owner;
  private final Random choices = new Random(1);
  private List<Node> led = List.of();

  /**
   * Nothing runs yet.
   *
   * @param folder for the nodes' data and their common key
   * @param database a JDBC URL
   * @param classes of a mutant, or null
   * @param more options of each node
   */
  Fleet(Path folder, String database, @Nullable Path classes, int size, List<String> more) {
    this.folder = folder;
    this.database = database;
    this.classes = classes;
    this.more = new ArrayList<>(more);
    rows = StoredRows.at(database);
    nodes = Stream.iterate(1, n -> n + 1).limit(size).map(n -> new Node("node" + n)).toList();
    balancer.refuse(true);
  }

  /** A machine of the fleet. */
  final class Node {
    final String name;
    final TcpProxy network = new TcpProxy(port(database));
    private final int port = FreePort.next();
    private @Nullable GatewayProcess process;

    private Node(String name) {
      this.name = name;
    }

    GatewayProcess process() {
      return Objects.requireNonNull(process, "the node was not launched");
    }

    private boolean isAlive() {
      return process != null && process.isAlive();
    }

    /** For a reader who looks for the cause of a failure. */
    private String state() {
      List<String> log = process().errors().lines().toList();
      return "%s alive=%s standby=%s owner=%s%n%s"
          .formatted(
              name,
              isAlive(),
              isStandby(),
              this == owner,
              String.join("\n", log.subList(Math.max(0, log.size() - LOG_LINES), log.size())));
    }

    private void launch() {
      List<String> options = new ArrayList<>(more);
      options.add("--node=" + name);
      options.add("--store=" + database.replace(":" + port(database), ":" + network.port()));
      options.add("--key-file=" + folder.resolve(KeyFile.NAME));
      options.add("--public-url=" + url());
      process =
          new GatewayProcess.Command(folder.resolve(name), port)
              .classes(classes)
              .with(options.toArray(String[]::new))
              .launch();
    }

    private void revive() {
      if (process != null) {
        List<String> log = process.errors().lines().toList();
        log.stream().filter(line -> line.contains("ERROR")).forEach(errors::add);
        if (log.stream().anyMatch(line -> line.contains("The node ends"))) {
          System.out.println(name + " has ended by itself:\n" + state());
        }
        process.close();
      }
      launch();
    }

    private CompletableFuture<Boolean> answers(String path, String word) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .timeout(ANSWERS_WITHIN)
              .build();
      return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
          .handle(
              (answer, failure) ->
                  failure == null && answer.statusCode() == 200 && answer.body().contains(word));
    }

    private boolean isStandby() {
      return answers("/health", "\"standby\"").join();
    }

    /** The node is cut off from the database, and the database from the node. */
    void cutOff() {
      network.refuse(true);
      network.cut();
    }

    void connect() {
      network.refuse(false);
    }

    /** Waits until the database does nothing for the node any more. */
    void awaitNoStatement() {
      awaitNone("fb:" + name + ":%", "AND state = 'active'");
    }
  }

  private static int port(String database) {
    return URI.create(database.substring("jdbc:".length())).getPort();
  }

  /** By which callers reach the nodes that are ready. */
  String url() {
    return "http://127.0.0.1:" + balancer.port();
  }

  StoredRows rows() {
    return rows;
  }

  /** What nodes that are gone logged as errors. */
  List<String> errors() {
    return errors;
  }

  /** Starts all nodes, and waits until one owns the store. */
  void start(List<String> options) {
    more.addAll(options);
    nodes.forEach(Node::launch);
    var unused =
        looking.scheduleWithFixedDelay(this::lead, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
    awaitOwner();
  }

  private void lead() {
    List<CompletableFuture<Boolean>> ready =
        nodes.stream().map(node -> node.answers("/ready", "")).toList();
    List<CompletableFuture<Boolean>> owning =
        nodes.stream().map(node -> node.answers("/ready", "\"up\"")).toList();
    List<Node> taking = new ArrayList<>();
    Node found = null;
    for (int i = 0; i < nodes.size(); i++) {
      if (ready.get(i).join()) {
        taking.add(nodes.get(i));
      }
      if (owning.get(i).join()) {
        found = nodes.get(i);
      }
    }
    if (taking.isEmpty()) {
      nodes.stream().filter(Node::isStandby).findFirst().ifPresent(taking::add);
    }
    if (!taking.isEmpty()) {
      balancer.lead(taking.get(choices.nextInt(taking.size())).port);
    }
    balancer.refuse(taking.isEmpty());
    if (!taking.containsAll(led)) {
      balancer.cut();
    }
    led = taking;
    owner = found;
  }

  /** Waits for the node that owns the store. */
  Node awaitOwner() {
    return await().pollInterval(LOOK).atMost(LONG).until(() -> owner, Objects::nonNull);
  }

  /** Waits until another node than this one owns the store. */
  Node awaitOwnerOtherThan(Node before) {
    return await()
        .pollInterval(LOOK)
        .atMost(LONG)
        .until(() -> owner, node -> node != null && node != before);
  }

  /** Whether the owner has written all events of the log to the topic in Kafka. */
  boolean hasPublished() {
    return awaitOwner().process().meter("feedbridge_kafka_behind") == 0;
  }

  /** The nodes that run and do not own the store. */
  List<Node> standbys() {
    Node owning = owner;
    return nodes.stream().filter(node -> node != owning && node.isAlive()).toList();
  }

  /**
   * Starts each node that has ended, as the service manager of its machine does, and waits until
   * all but the owner stand by.
   */
  void revive() {
    try {
      await()
          .pollInterval(LOOK)
          .atMost(LONG)
          .until(
              () -> {
                nodes.stream().filter(node -> !node.isAlive()).forEach(Node::revive);
                return owner != null
                    && standbys().stream().filter(Node::isStandby).count() == nodes.size() - 1;
              });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          nodes.stream().map(Node::state).collect(Collectors.joining("\n\n")), e);
    }
  }

  /** Runs a task in whose time no node becomes the owner. Some node must own the store before. */
  <T> T withoutNextOwner(Supplier<T> task) {
    try (Connection holding = DriverManager.getConnection(database);
        Statement made = holding.createStatement()) {
      made.execute(
          """
          CREATE OR REPLACE FUNCTION hold() RETURNS TRIGGER LANGUAGE plpgsql AS $$
          BEGIN
            PERFORM pg_advisory_xact_lock_shared(1);
            RETURN NEW;
          END $$
          """);
      made.execute(
          "CREATE OR REPLACE TRIGGER hold BEFORE UPDATE OF epoch ON owner"
              + " FOR EACH ROW EXECUTE FUNCTION hold()");
      made.execute("SELECT pg_advisory_lock(1)");
      // The lock ends with the session.
      return task.get();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until the database does nothing for any node any more. */
  void awaitNoSession() {
    awaitNone("fb:%", "");
  }

  private void awaitNone(String name, String state) {
    String sessions =
        "pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%s' %s"
            .formatted(name, state);
    await()
        .pollInterval(LOOK)
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> rows.count(sessions) == 0);
  }

  /** The process that the server has for one session of a node, if there is any. */
  Optional<Long> anyBackend() {
    return rows
        .query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name LIKE 'fb:%' LIMIT 1")
        .stream()
        .map(Long::valueOf)
        .findFirst();
  }

  void cutOffAll() {
    nodes.forEach(Node::cutOff);
  }

  void connectAll() {
    nodes.forEach(Node::connect);
  }

  /** SIGTERM for all; the processes must end well. */
  void stop() {
    looking.shutdownNow();
    for (Node node : nodes) {
      GatewayProcess.Exit exit = node.process().terminate();
      if (exit.code() != 0) {
        throw new AssertionError(node.name + " ended with " + exit.code() + "\n" + exit.errors());
      }
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
    for (Node node : nodes) {
      if (node.process != null) {
        node.process.close();
      }
      node.network.close();
    }
    balancer.close();
  }
}
