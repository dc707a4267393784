package io.feedbridge.gateway.store.sql.database;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Handle;

/**
 * Rows of a table that are due by a column of times. A damaged row is put off, so that it is not
 * due again at once and displaces no other row.
 */
public record DueRows(Database database, String table, String column) {

  /** When a damaged row is read again. */
  public static final Duration PUT_OFF = Duration.ofDays(1);

  /**
   * Reads the due rows. Blocks; where a row is damaged, for a write too.
   *
   * @param query adds the ids of damaged rows to the collection that it is given
   */
  public <T> List<T> read(Instant now, BiFunction<Handle, Collection<Long>, List<T>> query) {
    List<Long> damaged = new ArrayList<>();
    List<T> due = database.read(handle -> query.apply(handle, damaged));
    if (!damaged.isEmpty()) {
      database.change((handle, effects) -> putOff(handle, damaged, now)).join();
    }
    return due;
  }

  private void putOff(Handle handle, List<Long> damaged, Instant now) {
    handle
        .createUpdate(
            "UPDATE %s SET %s = :later WHERE id IN (<ids>) AND %s <= :now"
                .formatted(table, column, column))
        .bind("later", now.plus(PUT_OFF).toEpochMilli())
        .bind("now", now.toEpochMilli())
        .bindList("ids", damaged)
        .execute();
  }
}
