package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.move.MoveMark;
import io.feedbridge.gateway.store.sql.move.MoveTarget;
import io.feedbridge.gateway.store.sql.move.RowForm;
import io.feedbridge.gateway.store.sql.move.RowSum;
import io.feedbridge.gateway.store.sql.move.StoredTable;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyInputStream;

/** A database that a store is moved to, with the lock of its owner. */
public final class PostgresMoveTarget implements MoveTarget {

  /** Tables whose rows the schema itself or the opening of a store makes. */
  private static final Set<String> SEEDED = Set.of("log", "site_ping_count", "tracked");

  private static final int BUFFER = 1 << 16;

  private final String name;
  private final Handle handle;
  private final PostgresSchema schema;

  private PostgresMoveTarget(String name, Handle handle) {
    this.name = name;
    this.handle = handle;
    schema = new PostgresSchema(handle);
  }

  /**
   * Opens a database, and makes its tables in an empty one.
   *
   * @param url a JDBC URL of PostgreSQL
   * @throws StoreException if it cannot be reached, read or migrated, or a gateway has it open; the
   *     message is fit for the operator
   */
  public static PostgresMoveTarget open(String url, Clock clock) {
    return open(new PostgresPlace(url, false), clock);
  }

  static PostgresMoveTarget open(PostgresPlace place, Clock clock) {
    Handle handle;
    DataSource source = PostgresConnections.source(place.url());
    try {
      handle = PostgresConnections.jdbi(source).open();
    } catch (JdbiException e) {
      throw unusable(place.name(), e);
    }
    boolean whole = false;
    try {
      place.prepare(PostgresConnections.TOOL, clock);
      PostgresOwner.take(handle, clock);
      PostgresMigration.run(
          handle, PostgresConnections.migrating(place.url(), PostgresConnections.TOOL));
      whole = true;
      return new PostgresMoveTarget(place.name(), handle);
    } catch (JdbiException e) {
      throw unusable(place.name(), e);
    } finally {
      if (!whole) {
        handle.close();
      }
    }
  }

  private static StoreException unusable(String name, Exception e) {
    return new StoreException(
        "the database %s cannot be used: %s".formatted(name, StorageFailure.words(e)), e);
  }

  /** A statement of the target. */
  private interface Call<T> {
    T run() throws SQLException, IOException;
  }

  private <T> T call(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (JdbiException | SQLException e) {
      throw unusable(name, e);
    }
  }

  private <T> T ask(java.util.function.Supplier<T> call) {
    try {
      return call.get();
    } catch (JdbiException e) {
      throw unusable(name, e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<MoveMark> mark() {
    return ask(() -> MoveMark.in(handle));
  }

  @Override
  public void finish() {
    ask(
        () -> {
          MoveMark.remove(handle);
          return true;
        });
  }

  @Override
  public Collection<StoredTable> tables() {
    return ask(schema::tables);
  }

  @Override
  public boolean isEmpty() {
    return ask(
        () ->
            schema.tables().stream()
                .filter(table -> !SEEDED.contains(table.name()))
                .noneMatch(schema::hasRows));
  }

  @Override
  public void begin(List<StoredTable> tables) {
    ask(
        () -> {
          handle.execute("BEGIN");
          // The source is read between the statements, which may take its time.
          handle.execute("SET LOCAL statement_timeout = 0");
          handle.execute("SET LOCAL idle_in_transaction_session_timeout = 0");
          handle.execute(
              "TRUNCATE "
                  + tables.stream().map(StoredTable::quoted).collect(Collectors.joining(", ")));
          tables.forEach(table -> triggers(table, "DISABLE"));
          return true;
        });
  }

  /** Triggers would add rows that are copied anyway. */
  private void triggers(StoredTable table, String what) {
    handle.execute("ALTER TABLE %s %s TRIGGER USER".formatted(table.quoted(), what));
  }

  @Override
  public void write(StoredTable table, Rows rows) throws IOException {
    call(
        () -> {
          try (CopyBatches batches = new CopyBatches(connection(), table)) {
            rows.writeTo(batches);
            batches.end();
          }
          return true;
        });
  }

  @Override
  public RowSum read(StoredTable table) throws IOException {
    String copy =
        "COPY (SELECT %s FROM %s) TO STDOUT (FORMAT binary)"
            .formatted(table.columnList(), table.quoted());
    return call(
        () -> {
          RowSum sum = new RowSum();
          try (DataInputStream in =
              new DataInputStream(
                  new BufferedInputStream(new PGCopyInputStream(connection(), copy), BUFFER))) {
            CopyBatches.skipHeader(in);
            RowForm row = new RowForm(table, table.columns());
            while (row.next(in)) {
              row.addTo(sum);
            }
          }
          return sum;
        });
  }

  private PGConnection connection() throws SQLException {
    return handle.getConnection().unwrap(PGConnection.class);
  }

  @Override
  public void continueAfter(StoredTable table, long highest) {
    ask(
        () -> {
          table.columns().stream()
              .filter(StoredTable.Column::identity)
              .forEach(column -> schema.continueAfter(table, column, highest));
          return true;
        });
  }

  @Override
  public void commit(MoveMark mark, long epoch) {
    ask(
        () -> {
          schema.tables().forEach(table -> triggers(table, "ENABLE"));
          handle
              .createUpdate("UPDATE owner SET epoch = greatest(epoch, :epoch)")
              .bind("epoch", epoch)
              .execute();
          MoveMark.remove(handle);
          mark.write(handle);
          handle.execute("ANALYZE");
          handle.execute("COMMIT");
          return true;
        });
  }

  @Override
  public void close() {
    handle.close();
  }
}
