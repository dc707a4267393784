package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.StoreException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.config.JdbiConfig;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows whose values cannot be read although the file can: damaged JSON, a secret of another key, a
 * name that this version does not know. Lists leave such a row out, so that it does not stop the
 * others. Each damaged row is logged once, and counted. This configuration goes with each
 * statement. Thread-safe.
 */
public final class DamagedRows implements JdbiConfig<DamagedRows> {

  /** Rows that are remembered as logged; of more, each reading is logged. */
  private static final int MAX_LOGGED = 10_000;

  private static final Logger log = LoggerFactory.getLogger(DamagedRows.class);

  private Told told = new Told();

  /** The damaged rows found so far, shared by all statements of a database. */
  public static final class Told {
    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final AtomicLong count = new AtomicLong();

    /** Damaged rows that were found since the start. */
    public long count() {
      return count.get();
    }

    private void tell(String table, long id, Throwable failure) {
      String row = table + " " + id;
      if (logged.contains(row)) {
        return;
      }
      if (logged.size() < MAX_LOGGED) {
        logged.add(row);
      }
      count.incrementAndGet();
      log.atError()
          .addKeyValue("table", table)
          .addKeyValue("id", id)
          .setCause(failure)
          .log(
              "A stored row cannot be read and is passed over: restore a backup, or remove the"
                  + " feed, subscription or webhook that it belongs to");
    }
  }

  /** Of no database yet. */
  public DamagedRows() {}

  public void with(Told shared) {
    told = shared;
  }

  @Override
  public DamagedRows createCopy() {
    DamagedRows copy = new DamagedRows();
    copy.told = told;
    return copy;
  }

  /** A row's value; empty if it is damaged. */
  public static <T> Optional<T> read(
      ResultSet row, StatementContext context, String table, String id, RowMapper<T> reader)
      throws SQLException {
    try {
      return Optional.of(reader.map(row, context));
    } catch (StoreException | IllegalArgumentException | NullPointerException e) {
      context.getConfig(DamagedRows.class).told.tell(table, row.getLong(id), e);
      return Optional.empty();
    }
  }

  /** The values of a query's rows, which have an {@code id}, without the damaged rows. */
  public static <T> List<T> list(Query query, String table, RowMapper<T> reader) {
    return query.map((row, context) -> read(row, context, table, "id", reader)).list().stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * The same.
   *
   * @param damaged receives the ids of the damaged rows
   */
  public static <T> List<T> list(
      Query query, String table, RowMapper<T> reader, Collection<Long> damaged) {
    return query
        .map(
            (row, context) -> {
              Optional<T> value = read(row, context, table, "id", reader);
              if (value.isEmpty()) {
                damaged.add(row.getLong("id"));
              }
              return value;
            })
        .list()
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }
}
