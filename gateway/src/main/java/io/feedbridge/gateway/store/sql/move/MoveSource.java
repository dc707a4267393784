package io.feedbridge.gateway.store.sql.move;

import java.io.IOException;
import java.util.Set;

/** A store that is moved away. No other process writes to it meanwhile. */
public interface MoveSource extends AutoCloseable {

  /** As messages name it. */
  String name();

  /** The names of all tables that hold rows of the store. */
  Set<String> tables();

  /**
   * Reads all rows of a table, in any order.
   *
   * @throws IOException from {@code each}
   */
  void read(StoredTable table, Each each) throws IOException;

  /** The highest number that the store counted up to for a table; 0 where it does not tell. */
  long highest(String table);

  /** The epoch of the last process that opened the store (rule L15). */
  long epoch();

  /** Marks the store as moved away. The mark is durable when this returns. */
  void mark(MoveMark mark);

  @Override
  void close();

  /** Receives the rows one by one. */
  interface Each {
    /** The row is valid until this returns. */
    void row(java.sql.ResultSet row) throws java.sql.SQLException, IOException;
  }
}
