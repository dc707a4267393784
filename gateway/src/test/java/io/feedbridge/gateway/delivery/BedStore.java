package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.postgres.PostgresDatabase;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sqlite.EmptyStore;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executor;

/** The place of the store under a {@link Bed}, which outlives a gateway. */
sealed interface BedStore {

  /** A database that a bed has open. */
  record Opened(Database database, Runnable close) {}

  /** An empty store on the engine that {@code -Dfeedbridge.bed} names: embedded, or postgres. */
  static BedStore in(Path data) {
    return System.getProperty("feedbridge.bed", "").equals("postgres")
        ? new Server(data, TestServer.shared().made())
        : new Embedded(data);
  }

  /** Opens the store. */
  Opened open(Executor commits);

  /** A JDBC URL by which the rows can be read. */
  String url();

  /** A copy of the store as a kill -9 would leave it now. The gateway may be lost by it. */
  BedStore copy(Path folder);

  /** Removes the store, which no gateway has open. */
  void remove();

  private static void copy(Path data, Path folder, List<String> files) {
    make(folder);
    try {
      for (String file : files) {
        Files.copy(data.resolve(file), folder.resolve(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void make(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In a folder. */
  record Embedded(Path data) implements BedStore {

    @Override
    public Opened open(Executor commits) {
      EmptyStore.in(data);
      SqliteDatabase database = SqliteDatabase.open(data, commits);
      return new Opened(database, database::close);
    }

    @Override
    public String url() {
      return "jdbc:sqlite:" + data.resolve("feedbridge.db");
    }

    @Override
    public BedStore copy(Path folder) {
      BedStore.copy(data, folder, List.of("feedbridge.db", "feedbridge.db-wal", KeyFile.NAME));
      return new Embedded(folder);
    }

    @Override
    public void remove() {
      // The folder is the test's.
    }
  }

  /** In a database, with the key in a folder. */
  record Server(Path data, String url) implements BedStore {

    @Override
    public Opened open(Executor commits) {
      make(data);
      SystemTimer timer = new SystemTimer(Clock.systemUTC());
      PostgresDatabase database = TestServer.open(url, KeyFile.in(data), commits, timer);
      return new Opened(
          database,
          () -> {
            database.close();
            timer.close();
          });
    }

    @Override
    public BedStore copy(Path folder) {
      BedStore.copy(data, folder, List.of(KeyFile.NAME));
      return new Server(folder, TestServer.shared().copyAfterCrash(url));
    }

    @Override
    public void remove() {
      TestServer.shared().drop(url);
    }
  }
}
