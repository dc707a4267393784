package io.feedbridge.gateway.store.sqlite.search;

import io.feedbridge.gateway.search.TextIndex.Hit;
import io.feedbridge.gateway.search.TextIndex.Hits;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** Searches in the index, the newest match first. */
final class FtsSearch {

  /** A search goes back in time by steps, the first of which is this part of the whole. */
  private static final int FIRST_STEP = 64;

  /** The largest step: the time that a search takes is looked at after each. */
  private static final int LARGEST_STEP = 8;

  private FtsSearch() {}

  /**
   * The newest matches.
   *
   * @param until the end of the search, by {@link System#nanoTime}
   */
  static Hits find(
      Connection connection, Query query, LongPredicate hidden, int skip, int limit, long until)
      throws SQLException {
    long first;
    long last;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT (SELECT MIN(id) FROM entry), (SELECT MAX(id) FROM entry)")) {
      row.next();
      first = row.getLong(1);
      last = row.getLong(2);
    }
    long span = last - first + 1;
    long step = Math.max(1, span / FIRST_STEP);
    List<Hit> found = new ArrayList<>();
    int skipped = 0;
    String sql =
        """
        SELECT text.rowid, entry.feed_id, entry.entry_id, entry.seq
        FROM text JOIN entry ON entry.id = text.rowid
        WHERE text MATCH ? AND text.rowid >= ? AND text.rowid <= ?%s
        ORDER BY text.rowid DESC
        """
            .formatted(FtsQuery.ranges(query.ranges()));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, FtsQuery.match(query.root()));
      long to = last;
      while (to >= first && to > 0) {
        long from = Math.max(first, to - step + 1);
        statement.setLong(2, from);
        statement.setLong(3, to);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            boolean match = !hidden.test(row.getLong("feed_id"));
            if (match && skipped < skip) {
              skipped++;
            } else if (match && found.size() < limit) {
              found.add(hit(row));
            } else if (match) {
              return new Hits(found, true);
            }
            if (System.nanoTime() - until > 0) {
              return new Hits(found, false);
            }
          }
        }
        if (System.nanoTime() - until > 0 && from > first) {
          return new Hits(found, false);
        }
        to = from - 1;
        step = Math.min(2 * step, Math.max(1, span / LARGEST_STEP));
      }
    }
    return new Hits(found, true);
  }

  private static Hit hit(ResultSet row) throws SQLException {
    long seq = row.getLong(4);
    boolean none = row.wasNull();
    return new Hit(
        row.getLong(1), new Ref(new EntryKey(row.getLong(2), row.getString(3)), none ? null : seq));
  }

  /** Rows whose number or place is past a bound. Blocks. */
  static List<Hit> hits(SearchFile file, String query, long bound, int limit) {
    return file.read(
        connection -> {
          List<Hit> found = new ArrayList<>();
          try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setLong(1, bound);
            statement.setInt(2, limit);
            try (ResultSet row = statement.executeQuery()) {
              while (row.next()) {
                found.add(hit(row));
              }
            }
          }
          return found;
        });
  }
}
