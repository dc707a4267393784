package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Trackers;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Trackers as SQL. */
public final class SqlTrackers implements Trackers {

  private static final int FINGERPRINT_LENGTH = 32;

  private final Database database;

  public SqlTrackers(Database database) {
    this.database = database;
  }

  @Override
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

  @Override
  public long position() {
    return database.read(
        handle -> handle.createQuery("SELECT position FROM tracked").mapTo(Long.class).one());
  }

  @Override
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
    Map<EntryKey, String> seen = new LinkedHashMap<>();
    List<Found> fresh = unseen(handle, caught.feedId(), caught.fresh(), seen, false);
    List<Found> changed = unseen(handle, caught.feedId(), caught.changed(), seen, true);
    // A changed entry that the tracker has not had is new to it.
    fresh.addAll(changed.stream().filter(found -> !isKnown(handle, caught, found)).toList());
    changed.removeAll(fresh);
    if (fresh.isEmpty() && changed.isEmpty()) {
      return 0;
    }
    Update update =
        new Update(
            Feed.bare(feed.get().topic(), feed.get().fetched().title())
                .withEntries(newestFirst(fresh)),
            newestFirst(changed),
            feed.get().status(),
            false);
    Outcome outcome =
        new Outcome(
            new Position(caught.feedId(), 0),
            feed.get(),
            now,
            Via.TRACK,
            seen.entrySet().stream()
                .map(one -> new SeenEntry(one.getKey().id(), one.getValue(), null, null))
                .toList(),
            null,
            null,
            List.of(update));
    SqlSeen.remember(handle, caught.feedId(), outcome.seen(), now);
    List<Long> appended = SqlRecording.append(handle, outcome);
    IdentityHashMap<Entry, EntryKey> keys = new IdentityHashMap<>();
    Stream.of(fresh, changed)
        .flatMap(List::stream)
        .forEach(found -> keys.put(found.entry(), found.key().in(caught.feedId())));
    SqlEntries.keep(handle, outcome, appended, keys::get);
    handle
        .createUpdate("UPDATE feed SET head = MAX(head, :head) WHERE id = :id")
        .bind("head", appended.get(appended.size() - 1))
        .bind("id", caught.feedId())
        .execute();
    return appended.size();
  }

  private static List<Entry> newestFirst(List<Found> found) {
    List<Entry> entries = new ArrayList<>(found.stream().map(Found::entry).toList());
    Collections.reverse(entries);
    return entries;
  }

  /** Entries that the tracker has not had, or has had with another content. */
  private static List<Found> unseen(
      Handle handle,
      long feedId,
      List<Found> entries,
      Map<EntryKey, String> seen,
      boolean changes) {
    List<Found> unseen = new ArrayList<>();
    for (Found found : entries) {
      EntryKey key = found.key().in(feedId);
      String fingerprint = fingerprint(found.entry());
      String known = seen.get(key);
      known = known == null ? SqlSeen.fingerprint(handle, key).orElse(null) : known;
      if (known == null || (changes && !known.equals(fingerprint))) {
        unseen.removeIf(older -> older.key().equals(found.key()));
        unseen.add(found);
        seen.put(key, fingerprint);
      }
    }
    return unseen;
  }

  private static boolean isKnown(Handle handle, Catch caught, Found found) {
    return SqlSeen.fingerprint(handle, found.key().in(caught.feedId())).isPresent()
        || caught.fresh().stream().anyMatch(one -> one.key().equals(found.key()));
  }

  /** The fingerprint of an entry's content, without its source's fields. */
  private static String fingerprint(Entry entry) {
    byte[] digest = EntryKey.sha256(Json.text(entry.withSource(null)));
    return HexFormat.of().formatHex(digest).substring(0, FINGERPRINT_LENGTH);
  }
}
