package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.sql.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What a row costs that is durable when its writer is told so. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class WriterBench {

  /** Writes that wait at once, as those of many pings do. */
  static final int TOGETHER = 500;

  private static final Instant SOME_TIME = Instant.parse("2026-03-01T12:00:00Z");

  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private Path folder = Path.of("");
  private Feeds feeds;
  private long feed;
  private PreparedStatement bare;
  private long number;

  @Setup
  public void setUp() throws IOException, SQLException {
    folder = Files.createTempDirectory("writer-bench");
    SqliteDatabase database = SqliteDatabase.open(folder.resolve("store"), callers);
    parts.push(database);
    feeds = new Store(database).feeds();
    feed = feeds.follow("https://harbour.example/feed/", SOME_TIME).join().id();
    Connection connection = Connections.writing(folder.resolve("bare.db")).getConnection();
    parts.push(connection);
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE feed (id INTEGER PRIMARY KEY, next_fetch_at INTEGER)");
      statement.execute("INSERT INTO feed (id) VALUES (1)");
    }
    bare = connection.prepareStatement("UPDATE feed SET next_fetch_at = ? WHERE id = 1");
    parts.push(bare);
  }

  @TearDown
  public void tearDown() throws Exception {
    while (!parts.isEmpty()) {
      parts.pop().close();
    }
    callers.shutdown();
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(folder)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : deepestFirst) {
      Files.delete(each);
    }
  }

  private CompletableFuture<Void> write() {
    number++;
    return feeds.postpone(feed, SOME_TIME.plusMillis(number));
  }

  @Benchmark
  public void oneRow() {
    write().join();
  }

  @Benchmark
  @OperationsPerInvocation(TOGETHER)
  public void oneRowOfManyThatWait() {
    CompletableFuture<?>[] writes = new CompletableFuture<?>[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) {
      writes[i] = write();
    }
    CompletableFuture.allOf(writes).join();
  }

  /** SQLite alone, as durable, on the thread that waits. */
  @Benchmark
  public int bareRow() throws SQLException {
    number++;
    bare.setLong(1, number);
    return bare.executeUpdate();
  }
}
