package io.feedbridge.gateway.store.sqlite.search;

import io.feedbridge.gateway.search.IndexedEntry;
import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index as FTS5 without content: each entry has a row with its place, and its words under the
 * same number. The numbers grow with the time of arrival, so that the newest matches come first
 * without being sorted.
 */
public final class FtsIndex implements TextIndex {

  /** The form of the file; a file of another form is made again. */
  private static final int VERSION = 4;

  /** Numbers of one second; a second with more entries uses numbers of the seconds after it. */
  private static final int NUMBERS_A_SECOND_BITS = 12;

  /** Numbers count from 2020: each word has the number of its entry, which is a byte shorter so. */
  private static final long FIRST_SECOND = 1_577_836_800;

  // White space alone separates, because the words are made before.
  private static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            position INTEGER NOT NULL,
            trimmed INTEGER NOT NULL DEFAULT 0,
            store TEXT NOT NULL DEFAULT '',
            epoch INTEGER NOT NULL DEFAULT 0,
            boot TEXT NOT NULL DEFAULT ''
          ) STRICT
          """,
          "INSERT INTO state (id, position) VALUES (1, " + IndexState.NOTHING + ")",
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
          "CREATE INDEX entry_of_event ON entry (seq)",
          """
          CREATE VIRTUAL TABLE text USING fts5(
            words, labels, content='', contentless_delete=1,
            tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~\\'")
          """,
          // More segments are merged at once, so that each word is written fewer times.
          "INSERT INTO text (text, rank) VALUES ('automerge', 8)");

  private static final Logger log = LoggerFactory.getLogger(FtsIndex.class);

  private final SearchFile file;

  /** For the one thread that writes. */
  private Connection writer;

  /** The store that has adopted the index, for an index that is made again later. */
  private IndexState.@Nullable Owner owner;

  private final AtomicLong remade = new AtomicLong();

  private FtsIndex(SearchFile file) {
    this.file = file;
    writer = file.writer(VERSION, SCHEMA);
  }

  /**
   * Opens the index of a data folder, and makes it where there is none, or where it cannot be read.
   *
   * @throws StoreException if that is not possible
   */
  public static FtsIndex open(Path folder) {
    return open(folder, Boot.current());
  }

  /** {@link #open(Path)} in this run of the operating system; empty if it has no name. */
  static FtsIndex open(Path folder, Optional<String> boot) {
    return new FtsIndex(new SearchFile(folder, boot));
  }

  /** An index in which a call has met damage is made again here, which each batch begins with. */
  @Override
  public synchronized long position() {
    if (file.isDamaged()) {
      makeAgain("a part of its file is damaged");
    }
    return state().position();
  }

  private IndexState state() {
    return file.run(
        () -> {
          try (Statement statement = writer.createStatement();
              ResultSet row =
                  statement.executeQuery(
                      "SELECT position, trimmed, store, epoch, boot FROM state")) {
            return row.next()
                ? new IndexState(
                    row.getLong(1),
                    row.getLong(2),
                    new IndexState.Owner(row.getString(3), row.getLong(4)),
                    row.getString(5))
                : IndexState.NONE;
          }
        });
  }

  @Override
  public synchronized void adopt(String store, long epoch, long head) {
    owner = new IndexState.Owner(store, epoch);
    Optional<String> unfit;
    try {
      unfit = state().unfit(owner, file.boot(), head);
    } catch (StoreException damaged) {
      unfit = Optional.of(String.valueOf(damaged.getMessage()));
    }
    if (unfit.isPresent()) {
      makeAgain(unfit.get());
    } else {
      mark(owner, file.boot());
    }
  }

  /**
   * Puts all that was written on the disk, and this mark after it.
   *
   * @param boot the run of the operating system in which the next writes may be lost; empty for
   *     none
   * @return false if another connection reads, so that not all may be on the disk
   */
  private boolean mark(IndexState.Owner owner, String boot) {
    return file.durably(
        () -> {
          try (PreparedStatement state =
              writer.prepareStatement("UPDATE state SET store = ?, epoch = ?, boot = ?")) {
            state.setString(1, owner.store());
            state.setLong(2, owner.epoch());
            state.setString(3, boot);
            state.executeUpdate();
          }
        });
  }

  private void makeAgain(String why) {
    log.atWarn().addKeyValue("reason", why).log("The search index is made again");
    file.remove();
    writer = file.writer(VERSION, SCHEMA);
    file.mended();
    remade.incrementAndGet();
    if (owner != null) {
      mark(owner, file.boot());
    }
  }

  @Override
  public long remade() {
    return remade.get();
  }

  @Override
  public synchronized long trimmed() {
    return state().trimmed();
  }

  @Override
  public List<Hit> leaving(long upTo, int limit) {
    return FtsSearch.hits(
        file,
        """
        SELECT id, feed_id, entry_id, seq FROM entry
        WHERE seq > (SELECT trimmed FROM state) AND seq <= ? ORDER BY seq LIMIT ?
        """,
        upTo,
        limit);
  }

  @Override
  public synchronized void trim(List<Hit> gone, long upTo) {
    transaction(
        () -> {
          for (Hit entry : gone) {
            remove(entry.id());
          }
          try (PreparedStatement state = writer.prepareStatement("UPDATE state SET trimmed = ?")) {
            state.setLong(1, upTo);
            state.executeUpdate();
          }
        });
  }

  @Override
  public synchronized void add(List<IndexedEntry> entries, long position) {
    transaction(
        () -> {
          try (PreparedStatement find =
                  writer.prepareStatement(
                      "SELECT id, at, entry_id FROM entry WHERE feed_id = ? AND entry_hash = ?");
              PreparedStatement place =
                  writer.prepareStatement(
                      "INSERT INTO entry (id, feed_id, entry_hash, entry_id, seq, at, popularity,"
                          + " bozo) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
              PreparedStatement text =
                  writer.prepareStatement(
                      "INSERT INTO text (rowid, words, labels) VALUES (?, ?, ?)")) {
            for (IndexedEntry entry : entries) {
              if (replaces(find, entry)) {
                add(place, text, entry);
              }
            }
          }
          try (PreparedStatement state = writer.prepareStatement("UPDATE state SET position = ?")) {
            state.setLong(1, position);
            state.executeUpdate();
          }
        });
  }

  /** Removes the earlier version; false if the version that is there is as new. */
  private boolean replaces(PreparedStatement find, IndexedEntry entry) throws SQLException {
    EntryKey key = entry.ref().key();
    find.setLong(1, key.feedId());
    find.setLong(2, hash(key));
    long older = 0;
    try (ResultSet row = find.executeQuery()) {
      while (row.next()) {
        if (new EntryKey(key.feedId(), row.getString(3)).equals(key)) {
          long at = row.getLong(2);
          // Entries of one event arrive at one time, and a change of an entry in a later event.
          boolean old =
              entry.ref().seq() == null
                  ? at >= entry.at().toEpochMilli()
                  : at > entry.at().toEpochMilli();
          if (old) {
            return false;
          }
          older = row.getLong(1);
        }
      }
    }
    if (older != 0) {
      remove(older);
    }
    return true;
  }

  private void add(PreparedStatement place, PreparedStatement text, IndexedEntry entry)
      throws SQLException {
    Ref ref = entry.ref();
    long id = number(entry.at());
    place.setLong(1, id);
    place.setLong(2, ref.key().feedId());
    place.setLong(3, hash(ref.key()));
    place.setString(4, ref.key().id());
    place.setObject(5, ref.seq());
    place.setLong(6, entry.at().toEpochMilli());
    place.setDouble(7, entry.popularity());
    place.setDouble(8, entry.bozo());
    place.executeUpdate();
    text.setLong(1, id);
    text.setString(2, String.join(" ", entry.terms().words()));
    text.setString(3, String.join(" ", entry.terms().labels()));
    text.executeUpdate();
  }

  /** The first free number of the second, or after it. */
  private long number(Instant at) throws SQLException {
    long first = Math.max(1, (at.getEpochSecond() - FIRST_SECOND) << NUMBERS_A_SECOND_BITS);
    long number = first;
    try (PreparedStatement last =
        writer.prepareStatement("SELECT MAX(id) FROM entry WHERE id >= ? AND id < ?")) {
      while (true) {
        long end = number + (1L << NUMBERS_A_SECOND_BITS);
        last.setLong(1, number);
        last.setLong(2, end);
        try (ResultSet row = last.executeQuery()) {
          row.next();
          long used = row.getLong(1);
          if (used + 1 < end) {
            return used == 0 ? number : used + 1;
          }
          number = end;
        }
      }
    }
  }

  private static long hash(EntryKey key) {
    return ByteBuffer.wrap(key.hash()).getLong();
  }

  @Override
  public synchronized void remove(List<Hit> entries) {
    transaction(
        () -> {
          for (Hit entry : entries) {
            remove(entry.id());
          }
        });
  }

  private void remove(long id) throws SQLException {
    for (String table : List.of("entry WHERE id", "text WHERE rowid")) {
      try (PreparedStatement gone = writer.prepareStatement("DELETE FROM " + table + " = ?")) {
        gone.setLong(1, id);
        gone.executeUpdate();
      }
    }
  }

  private void transaction(SearchFile.Action action) {
    file.run(
        () -> {
          try {
            action.run();
            writer.commit();
          } catch (SQLException | RuntimeException e) {
            writer.rollback();
            throw e;
          }
          return true;
        });
  }

  @Override
  public Hits find(Query query, LongPredicate hidden, int skip, int limit, Duration most) {
    long until = System.nanoTime() + most.toNanos();
    return file.read(connection -> FtsSearch.find(connection, query, hidden, skip, limit, until));
  }

  @Override
  public List<Hit> entries(long after, int limit) {
    return FtsSearch.hits(
        file,
        "SELECT id, feed_id, entry_id, seq FROM entry WHERE id > ? ORDER BY id LIMIT ?",
        after,
        limit);
  }

  @Override
  public synchronized void close() {
    try {
      if (owner != null && !file.isDamaged()) {
        // The first has all entries on the disk before the second says so.
        boolean whole = mark(owner, file.boot()) && mark(owner, "");
        if (!whole) {
          log.atWarn().log("The search index may not be on the disk as a whole");
        }
      }
    } catch (StoreException e) {
      log.atWarn().setCause(e).log("The search index may not be on the disk as a whole");
    } finally {
      file.close();
    }
  }
}
