package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.sql.database.SharedEntries;
import io.feedbridge.gateway.store.sql.feeds.SqlEntries.Arrival;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Entries that trackers have. Each is stored once, for as long as an event or a tracker has it. */
public final class SqlShared {

  private SqlShared() {}

  /**
   * Stores the entries of an event that was just appended.
   *
   * @param fresh the new entries, the newest first
   * @param changed the changed entries, the newest first
   * @return the ids of the entries
   */
  static Map<Found, Long> keep(Handle handle, long seq, List<Found> fresh, List<Found> changed) {
    Map<Found, Long> ids = new HashMap<>();
    List<Found> all = Stream.of(fresh, changed).flatMap(List::stream).toList();
    all.forEach(found -> ids.put(found, keep(handle, seq, found)));
    SharedEntries entries =
        new SharedEntries(
            fresh.stream().map(ids::get).toList(), changed.stream().map(ids::get).toList());
    handle
        .createUpdate(
            "INSERT INTO shared_event (seq, entries, bytes) VALUES (:seq, :entries, :bytes)")
        .bind("seq", seq)
        .bind("entries", Json.text(entries))
        .bind("bytes", all.stream().mapToLong(found -> found.payload().length).sum())
        .execute();
    return ids;
  }

  private static long keep(Handle handle, long seq, Found found) {
    Kept kept =
        handle
            .createQuery(
                """
                INSERT INTO shared_entry (hash, seen_id, first_seq, last_seq)
                VALUES (:hash, :seen, :seq, :seq)
                ON CONFLICT (hash) DO UPDATE SET last_seq = excluded.last_seq
                RETURNING id, first_seq
                """)
            .bind("hash", found.hash())
            .bind("seen", found.seenId())
            .bind("seq", seq)
            .map((row, context) -> new Kept(row.getLong("id"), row.getLong("first_seq")))
            .one();
    if (kept.firstSeq == seq) {
      handle
          .createUpdate("INSERT INTO shared_payload (id, payload) VALUES (:id, :payload)")
          .bind("id", kept.id)
          .bind("payload", found.payload())
          .execute();
    }
    return kept.id;
  }

  private record Kept(long id, long firstSeq) {}

  /** Notes where the payload of a newest entry of a feed lies. */
  static void newest(Handle handle, long feedId, Arrival arrival) {
    handle
        .createUpdate(
            """
            INSERT INTO shared_newest (entry_id, shared_id)
            SELECT id, :shared FROM entry WHERE feed_id = :feed AND entry_key = :key
            """)
        .bind("feed", feedId)
        .bind("key", arrival.key())
        .bind("shared", arrival.shared())
        .execute();
  }

  /**
   * Frees the fingerprints under which trackers know the entries of events that leave the log.
   * Without its fingerprint a tracker takes an entry that changes later for a new one.
   *
   * @param seqs of the events, which are still there
   * @param before fingerprints of entries that arrived later stay
   */
  public static void forgetSeen(Handle handle, List<Long> seqs, Instant before) {
    handle
        .createQuery(
            """
            SELECT feed_id, shared FROM stored_event WHERE seq IN (<seqs>) AND shared IS NOT NULL
            """)
        .bindList("seqs", seqs)
        .map(
            (row, context) ->
                new Leaving(
                    row.getLong("feed_id"),
                    Json.read(row.getString("shared"), SharedEntries.class).all()))
        .list()
        .forEach(leaving -> leaving.forget(handle, before));
  }

  private record Leaving(long feedId, List<Long> entries) {
    void forget(Handle handle, Instant before) {
      handle
          .createUpdate(
              """
              DELETE FROM entry_seen WHERE feed_id = :feed AND seen_at < :before
                AND entry_id IN (SELECT seen_id FROM shared_entry WHERE id IN (<ids>))
              """)
          .bind("feed", feedId)
          .bind("before", before.toEpochMilli())
          .bindList("ids", entries)
          .execute();
    }
  }

  /**
   * Frees entries that no event and no tracker has any more.
   *
   * @param start the log begins behind this event
   * @param most entries to free
   * @return the entries freed
   */
  public static int free(Handle handle, long start, int most) {
    return handle
        .createUpdate(
            """
            DELETE FROM shared_entry WHERE id IN
              (SELECT id FROM shared_entry s WHERE last_seq <= :start
                AND NOT EXISTS (SELECT 1 FROM shared_event e
                  WHERE e.seq BETWEEN s.first_seq AND s.last_seq)
                AND NOT EXISTS (SELECT 1 FROM shared_newest n WHERE n.shared_id = s.id)
               LIMIT :most)
            """)
        .bind("start", start)
        .bind("most", most)
        .execute();
  }
}
