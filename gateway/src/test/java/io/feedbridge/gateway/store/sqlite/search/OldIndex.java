package io.feedbridge.gateway.store.sqlite.search;

import io.feedbridge.gateway.store.EntryKey;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** An index of the version in which it did not know its store, with the entry "1" of feed 1. */
public final class OldIndex {

  private static final List<String> SCHEMA =
      List.of(
          "PRAGMA journal_mode = WAL",
          "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL)"
              + " STRICT",
          "INSERT INTO state (id, position) VALUES (1, 1)",
          """
          CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            feed_id INTEGER NOT NULL,
            entry_hash INTEGER NOT NULL,
            entry_id TEXT NOT NULL,
            seq INTEGER,
            at INTEGER NOT NULL,
            popularity REAL NOT NULL,
            bozo REAL NOT NULL
          ) STRICT
          """,
          "CREATE INDEX entry_of_feed ON entry (feed_id, entry_hash)",
          """
          CREATE VIRTUAL TABLE text USING fts5(
            words, labels, content='', contentless_delete=1,
            tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~\\'")
          """,
          "INSERT INTO text (rowid, words, labels) VALUES (7, 'mars', '')",
          "PRAGMA user_version = 1");

  private OldIndex() {}

  /** Makes the file of an index in a data folder. */
  public static void make(Path folder) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("feedbridge-search.db"));
        Statement statement = connection.createStatement()) {
      for (String sql : SCHEMA) {
        statement.execute(sql);
      }
      try (PreparedStatement entry =
          connection.prepareStatement("INSERT INTO entry VALUES (7, 1, ?, '1', NULL, 0, 0, 0)")) {
        entry.setLong(1, ByteBuffer.wrap(EntryKey.sha256("1")).getLong());
        entry.executeUpdate();
      }
    }
  }
}
