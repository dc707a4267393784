package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.TrackedItem.Removed;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.feeds.SqlEntries.Arrival;
import io.feedbridge.gateway.store.sql.feeds.SqlEntries.Arrived;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Feeds, and lists, whose events are made of the entries of other feeds. */
public final class Trackers {

  private static final byte[] NO_PAYLOAD = {};

  private final Database database;

  public Trackers(Database database) {
    this.database = database;
  }

  /** The changes behind one, in order. */
  public List<Tracker> changes(long after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT * FROM tracker WHERE change > :after ORDER BY change LIMIT :limit")
                .bind("after", after)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Tracker(
                            row.getLong("change"),
                            row.getLong("feed_id"),
                            row.getString("topic"),
                            Rows.longOrNull(row, "start")))
                .list());
  }

  /** All trackers have the events up to here. */
  public long position() {
    return database.read(
        handle -> handle.createQuery("SELECT position FROM tracked").mapTo(Long.class).one());
  }

  /**
   * The followed trackers, and the lists, that have an entry of another feed, in their newest
   * entries or in the log; none once it was removed from them.
   */
  public List<Long> having(EntryKey entry) {
    EntryKey key = entry.in(0);
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT feed_id FROM
                      (SELECT feed_id FROM tracker WHERE start IS NOT NULL
                       UNION SELECT feed_id FROM feed_list) AS t
                    WHERE EXISTS (SELECT 1 FROM shared_entry WHERE seen_id = :seen)
                      AND (EXISTS (SELECT 1 FROM entry_seen s WHERE s.feed_id = t.feed_id
                          AND s.entry_id = :seen AND s.fingerprint NOT LIKE 'gone:%')
                        OR EXISTS (SELECT 1 FROM entry e
                          WHERE e.feed_id = t.feed_id AND e.entry_key = :key))
                    ORDER BY feed_id
                    """)
                .bind("seen", key.id())
                .bind("key", key.hash())
                .mapTo(Long.class)
                .list());
  }

  /**
   * Appends events to trackers, and moves the position, in one transaction. An entry that the
   * tracker has had is left out, by its {@link EntryKey}; a changed entry, and one of which the
   * tracker has had a part, by its content; a removed entry that the tracker does not have, too. So
   * a call may be repeated. An entry that was removed and comes again is new.
   *
   * @param position that {@link #position} is from now on
   * @return the events appended
   */
  public CompletableFuture<Integer> append(List<Catch> caught, long position, Instant now) {
    List<Catch> all = List.copyOf(caught);
    return database.writePatiently(
        (handle, effects) -> {
          int appended = 0;
          for (Catch one : all) {
            appended += append(handle, one, now);
          }
          handle
              .createUpdate("UPDATE tracked SET position = :position WHERE position < :position")
              .bind("position", position)
              .execute();
          if (appended > 0) {
            effects.add(Effect.APPENDED);
          }
          return appended;
        });
  }

  private static int append(Handle handle, Catch caught, Instant now) {
    Optional<FollowedFeed> feed =
        FeedReads.byId(handle, caught.feedId()).filter(FollowedFeed::followed);
    if (feed.isEmpty()) {
      return 0;
    }
    Map<EntryKey, SeenEntry> seen = new LinkedHashMap<>();
    List<Found> fresh = unseen(handle, caught.feedId(), caught.fresh(), seen, false);
    List<Found> changed = unseen(handle, caught.feedId(), caught.changed(), seen, true);
    // A changed entry that the tracker has not had is new to it.
    fresh.addAll(changed.stream().filter(found -> !isKnown(handle, caught, found)).toList());
    changed.removeAll(fresh);
    List<Removal> removed =
        caught.removed().stream()
            .filter(one -> isDropped(handle, caught.feedId(), one))
            .map(Removed::removal)
            .toList();
    int entries = fresh.size() + changed.size();
    if (entries + removed.size() == 0) {
      return 0;
    }
    Collections.reverse(fresh);
    Collections.reverse(changed);
    SqlSeen.remember(handle, caught.feedId(), List.copyOf(seen.values()), now);
    long seq = event(handle, feed.get(), entries + removed.size(), removed, now);
    if (entries > 0) {
      keepNewest(handle, caught.feedId(), seq, fresh, changed, now);
    }
    SqlEntries.changed(handle, caught.feedId(), now);
    handle
        .createUpdate("UPDATE feed SET head = MAX(head, :head) WHERE id = :id")
        .bind("head", seq)
        .bind("id", caught.feedId())
        .execute();
    return 1;
  }

  /** Whether a tracker had an entry, which it has no more. */
  private static boolean isDropped(Handle handle, long feedId, Removed removed) {
    EntryKey key = removed.key().in(feedId);
    // Both are done in any case: each may have left without the other.
    boolean marked = SqlSeen.markGone(handle, key, removed.removal().when());
    return SqlEntries.drop(handle, feedId, List.of(key.hash())) > 0 || marked;
  }

  /** The event without its entries, which are shared. */
  private static long event(
      Handle handle, FollowedFeed feed, int entries, List<Removal> removed, Instant now) {
    Feed bare = Feed.bare(feed.topic(), feed.fetched().title()).withRemovals(removed);
    return SqlRecording.append(
        handle,
        feed.id(),
        now,
        Via.TRACK,
        entries,
        new Update(bare, List.of(), feed.status(), false)
            .in(feed.isList() ? feed.fetched().format() : null));
  }

  private static void keepNewest(
      Handle handle, long feedId, long seq, List<Found> fresh, List<Found> changed, Instant now) {
    Map<Found, Long> shared = SqlShared.keep(handle, seq, fresh, changed);
    // An entry that came and changed meanwhile is stored as it is now.
    Map<EntryKey, Found> newest = new LinkedHashMap<>();
    for (List<Found> newestFirst : List.of(changed, fresh)) {
      for (int i = newestFirst.size() - 1; i >= 0; i--) {
        newest.putIfAbsent(newestFirst.get(i).key().in(feedId), newestFirst.get(i));
      }
    }
    List<Arrival> arrivals = new ArrayList<>();
    newest.forEach(
        (key, found) -> arrivals.add(new Arrival(key.hash(), NO_PAYLOAD, seq, shared.get(found))));
    SqlEntries.keepNewest(handle, List.of(new Arrived(feedId, arrivals, now)));
  }

  /**
   * Entries that the tracker does not have, or has with another content or a part of. An entry that
   * its feed has removed is one that the tracker does not have.
   */
  private static List<Found> unseen(
      Handle handle,
      long feedId,
      List<Found> entries,
      Map<EntryKey, SeenEntry> seen,
      boolean changes) {
    List<Found> unseen = new ArrayList<>();
    for (Found found : entries) {
      EntryKey key = found.key().in(feedId);
      SeenEntry known = seen.get(key);
      if (known == null) {
        known =
            SqlSeen.fingerprint(handle, key)
                .map(print -> new SeenEntry(found.seenId(), print, null))
                .orElse(null);
      }
      if (known == null
          || known.isGone()
          || ((changes || known.isPart()) && !known.has(found.seen().asWhole().fingerprint()))) {
        unseen.removeIf(older -> older.key().equals(found.key()));
        unseen.add(found);
        seen.put(key, found.seen());
      }
    }
    return unseen;
  }

  private static boolean isKnown(Handle handle, Catch caught, Found found) {
    EntryKey key = found.key().in(caught.feedId());
    return (SqlSeen.fingerprint(handle, key).isPresent() && !SqlSeen.isGone(handle, key))
        || caught.fresh().stream().anyMatch(one -> one.key().equals(found.key()));
  }

  /**
   * A feed that may be a tracker, as of its last change.
   *
   * @param change grows with each change of any of them
   * @param start the events behind this one are the tracker's; absent while it is not followed
   */
  public record Tracker(long change, long feedId, String topic, @Nullable Long start) {}

  /**
   * Entries for a tracker.
   *
   * @param fresh entries that are new in their own feed, in the order of their arrival
   * @param changed entries that have changed there, likewise
   * @param removed entries that were removed there; none of them is among the others
   */
  public record Catch(long feedId, List<Found> fresh, List<Found> changed, List<Removed> removed) {
    public Catch {
      fresh = List.copyOf(fresh);
      changed = List.copyOf(changed);
      removed = List.copyOf(removed);
    }
  }
}
