package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The engine under the store of a gateway that is killed again and again. */
sealed interface Engine {

  /** The rows beside a running gateway. */
  StoredRows rows();

  /** The options by which a gateway uses the engine. */
  List<String> options();

  /** Changes rows while no gateway runs. */
  void change(String sql);

  /** Keeps a running gateway from writing pings, as a slow disk does. */
  StoredRows.Lock lock();

  /** The state that a gateway which is gone has left. */
  Snapshot snapshot();

  /** The failpoints on the way of a gateway on this engine, of all that the code has. */
  Set<Failpoint> passed(Set<Failpoint> planted);

  /**
   * The embedded engine.
   *
   * @param data the data folder
   */
  record Embedded(Path data) implements Engine {

    @Override
    public StoredRows rows() {
      return new StoredRows(data);
    }

    @Override
    public List<String> options() {
      return List.of();
    }

    @Override
    public void change(String sql) {
      StoredRows.change(data, sql);
    }

    @Override
    public StoredRows.Lock lock() {
      return StoredRows.lock(data);
    }

    @Override
    public Snapshot snapshot() {
      return Snapshot.of(data);
    }

    @Override
    public Set<Failpoint> passed(Set<Failpoint> planted) {
      return planted;
    }
  }

  /**
   * A database of a PostgreSQL server.
   *
   * @param url a JDBC URL
   */
  record Database(String url) implements Engine {

    private static final Duration ENDED_WITHIN = Duration.ofSeconds(60);

    /** A new database. */
    static Database on(TestServer server) {
      return new Database(server.empty());
    }

    @Override
    public StoredRows rows() {
      return StoredRows.at(url);
    }

    @Override
    public List<String> options() {
      return List.of("--store=" + url);
    }

    @Override
    public void change(String sql) {
      StoredRows.changeAt(url, sql);
    }

    @Override
    public StoredRows.Lock lock() {
      return StoredRows.lockAt(url, "work");
    }

    /** The server may still commit for a process that is gone. */
    @Override
    public Snapshot snapshot() {
      StoredRows rows = rows();
      await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(ENDED_WITHIN)
          .until(
              () ->
                  rows.count(
                          "pg_stat_activity WHERE datname = current_database()"
                              + " AND application_name LIKE 'fb:%'")
                      == 0);
      return rows.count("pg_tables WHERE tablename = 'digest'") == 0
          ? Snapshot.NOTHING
          : Snapshot.of(rows, true);
    }

    @Override
    public Set<Failpoint> passed(Set<Failpoint> planted) {
      Set<Failpoint> passed = EnumSet.copyOf(planted);
      passed.removeAll(
          EnumSet.of(Failpoint.MID_MIGRATION, Failpoint.MID_WAL_CHECKPOINT, Failpoint.MID_BACKUP));
      return passed;
    }
  }
}
