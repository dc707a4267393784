package io.feedbridge.gateway.store.sql.move;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.store.sql.move.StoredTable.Column;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row as bytes: the number of values, then the length and the bytes of each value, with the
 * length -1 for null. It is the form of a row in PostgreSQL's binary COPY, so that a row is written
 * as it was summed up. Not thread-safe.
 */
public final class RowForm {

  private static final char NUL = '\0';

  /** Stands for the one character that PostgreSQL cannot store in a text. */
  private static final char REPLACEMENT = '\ufffd';

  private static final int NULL = -1;

  private final List<Column> columns;

  /** The positions of the columns in a row of the source, from 1. */
  private final int[] positions;

  private final Buffer buffer = new Buffer();
  private final DataOutputStream out = new DataOutputStream(buffer);
  private long replaced;

  /**
   * Rows of a table.
   *
   * @param columns the columns that the form has, of the table's
   */
  public RowForm(StoredTable table, List<Column> columns) {
    this.columns = List.copyOf(columns);
    positions = columns.stream().mapToInt(one -> table.columns().indexOf(one) + 1).toArray();
  }

  /** Reads the present row of a query for all columns of the table. */
  void read(ResultSet row) throws SQLException {
    buffer.reset();
    try {
      out.writeShort(columns.size());
      for (int i = 0; i < positions.length; i++) {
        write(columns.get(i).type(), positions[i], row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(StoredTable.Type type, int position, ResultSet row)
      throws SQLException, IOException {
    switch (type) {
      case LONG -> {
        long value = row.getLong(position);
        if (isNull(row)) {
          return;
        }
        out.writeInt(Long.BYTES);
        out.writeLong(value);
      }
      case SHORT -> {
        short value = row.getShort(position);
        if (isNull(row)) {
          return;
        }
        out.writeInt(Short.BYTES);
        out.writeShort(value);
      }
      case TEXT -> {
        String text = row.getString(position);
        write(text == null ? null : storable(text).getBytes(UTF_8));
      }
      case BYTES -> write(row.getBytes(position));
    }
  }

  private boolean isNull(ResultSet row) throws SQLException, IOException {
    boolean isNull = row.wasNull();
    if (isNull) {
      out.writeInt(NULL);
    }
    return isNull;
  }

  private void write(byte @Nullable [] value) throws IOException {
    out.writeInt(value == null ? NULL : value.length);
    if (value != null) {
      out.write(value);
    }
  }

  private String storable(String text) {
    if (text.indexOf(NUL) < 0) {
      return text;
    }
    replaced++;
    return text.replace(NUL, REPLACEMENT);
  }

  /**
   * Reads the next row of a stream of such rows.
   *
   * @return whether there was one
   */
  public boolean next(DataInputStream in) throws IOException {
    buffer.reset();
    short values = in.readShort();
    if (values < 0) {
      return false;
    }
    out.writeShort(values);
    for (int i = 0; i < values; i++) {
      int length = in.readInt();
      out.writeInt(length);
      if (length > 0) {
        out.write(in.readNBytes(length));
      }
    }
    return true;
  }

  /** Adds up the row that was read last. */
  public void addTo(RowSum sum) {
    sum.add(buffer.bytes(), buffer.size());
  }

  /** Writes the row that was read last. */
  public void writeTo(OutputStream target) throws IOException {
    buffer.writeTo(target);
  }

  /** Texts in which U+0000 was replaced. */
  long replaced() {
    return replaced;
  }

  private static final class Buffer extends ByteArrayOutputStream {
    byte[] bytes() {
      return buf;
    }
  }
}
