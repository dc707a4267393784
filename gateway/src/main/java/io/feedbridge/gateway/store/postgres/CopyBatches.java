package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.sql.move.MoveTarget;
import io.feedbridge.gateway.store.sql.move.RowForm;
import io.feedbridge.gateway.store.sql.move.StoredTable;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows by COPY in its binary form, in batches: the server checks the foreign keys of a batch
 * at its end, and holds them in memory until then. Not thread-safe.
 */
final class CopyBatches implements MoveTarget.Each, AutoCloseable {

  /** Rows that the server holds the foreign keys of. */
  static final int BATCH = 50_000;

  /** Bytes that are sent at once, at least. */
  private static final int CHUNK = 1 << 16;

  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0
  };

  /** No flags, and no extension of the header. */
  private static final byte[] FLAGS = new byte[8];

  private static final byte[] END = {(byte) 0xff, (byte) 0xff};

  private final PGConnection connection;
  private final String statement;
  private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
  private @Nullable CopyIn copy;
  private int rows;

  CopyBatches(PGConnection connection, StoredTable table) {
    this.connection = connection;
    statement =
        "COPY %s (%s) FROM STDIN (FORMAT binary)".formatted(table.quoted(), table.writtenList());
  }

  /** Passes over the header of the answer to a COPY in this form. */
  static void skipHeader(DataInputStream in) throws IOException {
    in.skipNBytes(SIGNATURE.length + Integer.BYTES);
    in.skipNBytes(in.readInt());
  }

  @Override
  public void row(RowForm row) throws IOException {
    try {
      CopyIn open = copy;
      if (open == null) {
        open = connection.getCopyAPI().copyIn(statement);
        copy = open;
        unsent.writeBytes(SIGNATURE);
        unsent.writeBytes(FLAGS);
      }
      row.writeTo(unsent);
      if (unsent.size() >= CHUNK) {
        send(open);
      }
      rows++;
      if (rows == BATCH) {
        end();
      }
    } catch (SQLException e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
  }

  private void send(CopyIn open) throws SQLException {
    byte[] bytes = unsent.toByteArray();
    open.writeToCopy(bytes, 0, bytes.length);
    unsent.reset();
  }

  /** Ends the last batch. */
  void end() throws SQLException {
    CopyIn open = copy;
    if (open != null) {
      unsent.writeBytes(END);
      send(open);
      open.endCopy();
      copy = null;
      rows = 0;
    }
  }

  /** Ends a batch that failed, so that the connection can be used. */
  @Override
  public void close() throws SQLException {
    CopyIn open = copy;
    if (open != null && open.isActive()) {
      open.cancelCopy();
    }
  }
}
