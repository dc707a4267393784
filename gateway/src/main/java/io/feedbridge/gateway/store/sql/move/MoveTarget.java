package io.feedbridge.gateway.store.sql.move;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** An empty store that rows are moved to. No other process writes to it meanwhile. */
public interface MoveTarget extends AutoCloseable {

  /** As messages name it. */
  String name();

  /** The mark of an unfinished copy. */
  Optional<MoveMark> mark();

  /** Removes the mark; gateways may open the store from then on. */
  void finish();

  /** All tables that hold rows of the store. */
  Collection<StoredTable> tables();

  /** Whether no table has a row, besides the rows that the schema itself makes. */
  boolean isEmpty();

  /**
   * Begins the one transaction of the copy, in which the store is emptied first.
   *
   * @param tables all of them
   */
  void begin(List<StoredTable> tables);

  /** Writes rows into a table. */
  void write(StoredTable table, Rows rows) throws IOException;

  /** Reads the rows of a table back. */
  RowSum read(StoredTable table) throws IOException;

  /**
   * Has the numbers of a table go on behind a number, and behind the highest one in the table.
   *
   * @param highest the highest number that was given
   */
  void continueAfter(StoredTable table, long highest);

  /** Commits the copy with its mark. It is durable when this returns. */
  void commit(MoveMark mark, long epoch);

  @Override
  void close();

  /** The rows that are written. */
  interface Rows {
    /** Hands all rows to the target. */
    void writeTo(Each each) throws IOException;
  }

  /** Takes the rows one by one. */
  interface Each {
    /** The row is valid until this returns; it has the written columns alone. */
    void row(RowForm row) throws IOException;
  }
}
