package io.feedbridge.gateway.store.sql.feeds;

import static io.feedbridge.gateway.store.sql.database.Rows.millis;

import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The entries that each feed has had, under their {@link EntryKey}. */
final class SqlSeen {

  private static final int IDS_AT_ONCE = 1_000;

  private SqlSeen() {}

  /** The known entries of a feed by their own ids, of the given ids. */
  static Map<String, SeenEntry> of(Database database, long feedId, Collection<String> entryIds) {
    Map<String, String> keys = new HashMap<>();
    entryIds.forEach(id -> keys.put(id, new EntryKey(feedId, id).id()));
    Map<String, SeenEntry> kept = new HashMap<>();
    for (List<String> some : parts(keys.values())) {
      database
          .read(
              handle ->
                  handle
                      .createQuery(
                          """
                          SELECT entry_id, fingerprint, updated_at, source FROM entry_seen
                          WHERE feed_id = :feed AND entry_id IN (<ids>)
                          """)
                      .bind("feed", feedId)
                      .bindList("ids", some)
                      .map(
                          (row, context) ->
                              new SeenEntry(
                                  row.getString("entry_id"),
                                  row.getString("fingerprint"),
                                  Rows.instantOrNull(row, "updated_at"),
                                  row.getString("source")))
                      .list())
          .forEach(entry -> kept.put(entry.id(), entry));
    }
    Map<String, SeenEntry> seen = new HashMap<>();
    keys.forEach(
        (id, key) -> {
          SeenEntry one = kept.get(key);
          if (one != null) {
            seen.put(id, new SeenEntry(id, one.fingerprint(), one.updated(), one.source()));
          }
        });
    return seen;
  }

  /** Of some fingerprints, the ones that an entry of the feed has. */
  static Set<String> fingerprints(Database database, long feedId, Collection<String> asked) {
    Set<String> known = new HashSet<>();
    for (List<String> some : parts(asked)) {
      known.addAll(
          database.read(
              handle ->
                  handle
                      .createQuery(
                          """
                          SELECT DISTINCT fingerprint FROM entry_seen
                          WHERE feed_id = :feed AND fingerprint IN (<prints>)
                          """)
                      .bind("feed", feedId)
                      .bindList("prints", some)
                      .mapTo(String.class)
                      .list()));
    }
    return known;
  }

  private static List<List<String>> parts(Collection<String> asked) {
    List<String> all = List.copyOf(asked);
    return IntStream.range(0, (all.size() + IDS_AT_ONCE - 1) / IDS_AT_ONCE)
        .map(part -> part * IDS_AT_ONCE)
        .mapToObj(from -> all.subList(from, Math.min(all.size(), from + IDS_AT_ONCE)))
        .toList();
  }

  /**
   * Whether a feed ever had an entry of an id; a tracker and a list have it if one of their feeds
   * had.
   *
   * @param id the entry's own
   */
  static boolean knows(Handle handle, long feedId, String id) {
    EntryKey key = new EntryKey(feedId, id);
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT 1 FROM entry_seen WHERE feed_id = :feed AND entry_id = :id)
              OR EXISTS (SELECT 1 FROM entry_seen
                WHERE feed_id = :feed AND SUBSTR(entry_id, INSTR(entry_id, ':') + 1) IN (:id, :hashed)
                  AND (feed_id IN (SELECT feed_id FROM tracker)
                    OR feed_id IN (SELECT feed_id FROM feed_list)))
            """)
        .bind("feed", feedId)
        .bind("id", key.id())
        .bind("hashed", key.hashed())
        .mapTo(Boolean.class)
        .one();
  }

  /** The fingerprint under which an entry is known. */
  static Optional<String> fingerprint(Handle handle, EntryKey key) {
    return handle
        .createQuery(
            "SELECT fingerprint FROM entry_seen WHERE feed_id = :feed AND entry_id = :entry")
        .bind("feed", key.feedId())
        .bind("entry", key.id())
        .mapTo(String.class)
        .findOne();
  }

  /** Whether a feed has removed an entry. */
  static boolean isGone(Handle handle, EntryKey key) {
    return fingerprint(handle, key)
        .filter(print -> new SeenEntry(key.id(), print, null).isGone())
        .isPresent();
  }

  /**
   * Marks the fingerprint of an entry that its feed has removed, if it is known. The time at which
   * it was seen stays: the mark leaves when the fingerprint would have left.
   *
   * @return whether it was known, and not removed yet
   */
  static boolean markGone(Handle handle, EntryKey key, Instant when) {
    return fingerprint(handle, key)
        .map(print -> new SeenEntry(key.id(), print, null))
        .filter(entry -> !entry.isGone())
        .map(
            entry ->
                handle
                    .createUpdate(
                        """
                        UPDATE entry_seen SET fingerprint = :gone
                        WHERE feed_id = :feed AND entry_id = :entry
                        """)
                    .bind("gone", entry.asGone(when).fingerprint())
                    .bind("feed", key.feedId())
                    .bind("entry", key.id())
                    .execute())
        .isPresent();
  }

  static void remember(Handle handle, long feedId, List<SeenEntry> seen, Instant now) {
    PreparedBatch batch = batch(handle);
    add(batch, feedId, seen, now);
    execute(batch);
  }

  /** Remembers the entries of outcomes, and forgets the stale ones. */
  static void remember(Handle handle, List<Outcome> outcomes) {
    PreparedBatch batch = batch(handle);
    outcomes.forEach(outcome -> add(batch, outcome.feed().id(), outcome.seen(), outcome.at()));
    execute(batch);
    for (Outcome outcome : outcomes) {
      if (outcome.stale() != null) {
        forget(handle, outcome.feed().id(), outcome.stale());
      }
    }
  }

  private static PreparedBatch batch(Handle handle) {
    return handle.prepareBatch(
        """
            INSERT INTO entry_seen (feed_id, entry_id, fingerprint, updated_at, seen_at, source)
            VALUES (:feed, :entry, :fingerprint, :updated, :now, :source)
            ON CONFLICT (feed_id, entry_id) DO UPDATE SET
              fingerprint = excluded.fingerprint, updated_at = excluded.updated_at,
              seen_at = excluded.seen_at, source = excluded.source
            """);
  }

  private static void add(PreparedBatch batch, long feedId, List<SeenEntry> seen, Instant now) {
    for (SeenEntry entry : seen) {
      batch
          .bind("feed", feedId)
          .bind("entry", new EntryKey(feedId, entry.id()).id())
          .bind("fingerprint", entry.fingerprint())
          .bind("updated", millis(entry.updated()))
          .bind("now", now.toEpochMilli())
          .bind("source", entry.source())
          .add();
    }
  }

  private static void execute(PreparedBatch batch) {
    if (batch.size() > 0) {
      batch.execute();
    }
  }

  /** Forgets entries that have been absent from a feed's document for long. */
  private static void forget(Handle handle, long feedId, Outcome.Stale stale) {
    List<String> present =
        stale.present().stream().map(id -> new EntryKey(feedId, id).id()).toList();
    handle
        .createUpdate(
            """
            DELETE FROM entry_seen
            WHERE feed_id = :feed AND seen_at < :before
              AND entry_id NOT IN (SELECT value FROM json_each(:present))
            """)
        .bind("feed", feedId)
        .bind("before", stale.before().toEpochMilli())
        .bind("present", Json.text(present))
        .execute();
  }
}
