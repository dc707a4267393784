package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Checks a store before the first write to it, so that damage is reported and the file stays as it
 * is. It does not read the whole file: it reads the header of the write-ahead log, has SQLite read
 * the database's header, compare it with the file's size and read the schema, and reads of each
 * table and index the pages from the root to the first row. Damage further inside shows when it is
 * read, and is then in {@code /health}.
 */
final class FileCheck {

  /** The length of the header with which SQLite begins each database that has content, in bytes. */
  private static final int DATABASE_HEADER = 100;

  /** Where the header says whether the database has a write-ahead log. */
  private static final int JOURNAL_FORMAT = 18;

  private static final int FORMAT_WITHOUT_WAL = 1;

  private static final int WAL_HEADER = 32;
  private static final int WAL_MAGIC = 0x377f0682;
  private static final int WAL_FORMAT = 3_007_000;

  private static final Pattern WHERE =
      Pattern.compile("\\bWHERE\\b.*", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

  private final Path database;
  private final Path wal;

  private FileCheck(Path database) {
    this.database = database;
    wal = DataFolder.wal(database);
  }

  /**
   * Looks at a database, if there is one. Writes nothing.
   *
   * @param reading connections that cannot write
   * @throws StoreException if it should not be opened for writing; the message is fit for the
   *     operator
   */
  static void pass(Path database, Jdbi reading) {
    new FileCheck(database).pass(reading);
  }

  private void pass(Jdbi reading) {
    try {
      long walBytes = size(wal);
      if (size(database) == 0) {
        if (walBytes > 0) {
          throw leftAsItIs(
              "the store %s is missing or empty, but %s beside it holds commits of it"
                  .formatted(database, wal.getFileName()));
        }
        return;
      }
      if (walBytes > 0) {
        checkWal(walBytes);
      }
    } catch (IOException e) {
      throw StoreException.unusable("the store " + database, e);
    }
    try {
      reading.useHandle(this::readRoots);
    } catch (JdbiException e) {
      throw unreadable(database, e);
    }
  }

  private static long size(Path file) throws IOException {
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /** SQLite takes a log whose header makes no sense for an empty one, and writes over it. */
  private void checkWal(long bytes) throws IOException {
    if (!Files.isRegularFile(wal)) {
      throw leftAsItIs("%s is not a file".formatted(wal));
    }
    if (firstBytes(database, DATABASE_HEADER)[JOURNAL_FORMAT] == FORMAT_WITHOUT_WAL) {
      throw leftAsItIs(
          "%s does not belong to the store beside it, which was put there later".formatted(wal));
    }
    // Shorter than its header it holds nothing yet: a crash came in between.
    if (bytes >= WAL_HEADER && !isWalHeader(firstBytes(wal, WAL_HEADER))) {
      throw leftAsItIs("the write-ahead log %s is damaged".formatted(wal));
    }
  }

  private static byte[] firstBytes(Path file, int count) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.copyOf(in.readNBytes(count), count);
    }
  }

  /** Magic number, format and the checksum over all before it, in the order of SQLite's own. */
  private static boolean isWalHeader(byte[] bytes) {
    ByteBuffer header = ByteBuffer.wrap(bytes);
    int magic = header.getInt(0);
    if ((magic & ~1) != WAL_MAGIC || header.getInt(4) != WAL_FORMAT) {
      return false;
    }
    ByteBuffer words =
        ByteBuffer.wrap(bytes)
            .order((magic & 1) == 1 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    int first = 0;
    int second = 0;
    for (int at = 0; at < 24; at += 8) {
      first += words.getInt(at) + second;
      second += words.getInt(at + 4) + first;
    }
    return header.getInt(24) == first && header.getInt(28) == second;
  }

  private record Tree(String type, String name, String table, String sql) {}

  private void readRoots(Handle handle) {
    List<Tree> trees =
        handle
            .createQuery(
                """
                SELECT type, name, tbl_name, COALESCE(sql, '') AS sql FROM sqlite_schema
                WHERE rootpage > 0
                """)
            .map(
                (row, context) ->
                    new Tree(
                        row.getString("type"),
                        row.getString("name"),
                        row.getString("tbl_name"),
                        row.getString("sql")))
            .list();
    for (Tree tree : trees) {
      handle.createQuery(firstRow(tree)).mapTo(Integer.class).findOne();
    }
  }

  private static String firstRow(Tree tree) {
    if (!tree.type.equals("index")) {
      return "SELECT 1 FROM %s NOT INDEXED LIMIT 1".formatted(quoted(tree.table));
    }
    Matcher partial = WHERE.matcher(tree.sql);
    return "SELECT 1 FROM %s INDEXED BY %s %s LIMIT 1"
        .formatted(quoted(tree.table), quoted(tree.name), partial.find() ? partial.group() : "");
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Why a database cannot be used that could not be opened, read or migrated. */
  static StoreException unreadable(Path database, RuntimeException e) {
    boolean damaged =
        SqliteFailures.behind(e, database).filter(StorageFailure::lasting).isPresent();
    return damaged
        ? leftAsItIs("the store %s is damaged (%s)".formatted(database, StorageFailure.words(e)), e)
        : new StoreException(
            "the store %s cannot be opened, it was left as it is: %s"
                .formatted(database, SqliteFailures.reason(e, database)),
            e);
  }

  private static StoreException leftAsItIs(String what) {
    return leftAsItIs(what, null);
  }

  private static StoreException leftAsItIs(String what, @Nullable Throwable cause) {
    return new StoreException(
        what
            + "; everything was left as it is: restore a backup, as feedbridge.db in a folder with its"
            + " key file and without the other files",
        cause);
  }
}
