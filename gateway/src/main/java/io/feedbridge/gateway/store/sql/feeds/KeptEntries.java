package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * All entries that the store has, in the log or as the newest of a feed, for an index over them.
 */
public final class KeptEntries {

  private final Database database;

  public KeptEntries(Database database) {
    this.database = database;
  }

  /** Feeds whose first entries are to be indexed. */
  public List<Due> due(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT id, feed_id FROM search_due ORDER BY id LIMIT :limit")
                .bind("limit", limit)
                .map((row, context) -> new Due(row.getLong("id"), row.getLong("feed_id")))
                .list());
  }

  /** These were indexed. */
  public CompletableFuture<Void> done(List<Due> indexed) {
    return database.changePatiently(
        (handle, effects) -> {
          PreparedBatch rows = handle.prepareBatch("DELETE FROM search_due WHERE id = :id");
          indexed.forEach(due -> rows.bind("id", due.id()).add());
          rows.execute();
        });
  }

  /** Makes all feeds due, for an index that begins anew. */
  public CompletableFuture<Void> allDue() {
    return database.changePatiently(
        (handle, effects) ->
            handle.execute(
                """
                INSERT INTO search_due (feed_id)
                SELECT id FROM feed WHERE true ON CONFLICT (feed_id) DO NOTHING
                """));
  }

  /**
   * Finds entries in their newest version; an entry that the store has no more, or that its feed
   * has removed, is left out.
   */
  public Map<Ref, Found> find(List<Ref> refs) {
    return database.read(
        handle -> {
          Map<Ref, Found> found = new LinkedHashMap<>();
          Map<Long, Optional<Of>> feeds = new HashMap<>();
          for (Ref ref : refs) {
            Optional<Of> of = feeds.computeIfAbsent(ref.key().feedId(), id -> of(handle, id));
            boolean there = of.isPresent() && !SqlSeen.isGone(handle, ref.key());
            Optional<Entry> entry = there ? entry(handle, ref) : Optional.empty();
            entry.ifPresent(
                one -> found.put(ref, new Found(of.get().feed, of.get().fields, one, ref.seq())));
          }
          return found;
        });
  }

  private record Of(FollowedFeed feed, Feed fields) {}

  private static Optional<Of> of(Handle handle, long feedId) {
    return FeedReads.byId(handle, feedId)
        .map(
            feed ->
                new Of(
                    feed,
                    SqlEntries.newest(handle, feedId, 0)
                        .map(newest -> newest.feed())
                        .orElse(Feed.bare(feed.topic(), feed.fetched().title()))));
  }

  private static Optional<Entry> entry(Handle handle, Ref ref) {
    Optional<Entry> kept =
        handle
            .createQuery(
                "SELECT payload FROM stored_entry WHERE feed_id = :feed AND entry_key = :key")
            .bind("feed", ref.key().feedId())
            .bind("key", ref.key().hash())
            .map((row, context) -> Json.read(row.getBytes("payload"), Entry.class))
            .findFirst();
    return kept.isPresent() || ref.seq() == null ? kept : entryOfEvent(handle, ref, ref.seq());
  }

  private static Optional<Entry> entryOfEvent(Handle handle, Ref ref, long seq) {
    Optional<Event> event =
        handle
            .createQuery("SELECT * FROM stored_event WHERE seq = :seq")
            .bind("seq", seq)
            .map((row, context) -> DamagedRows.read(row, context, "event", "seq", Rows::event))
            .findFirst()
            .flatMap(read -> read);
    return event.stream()
        .flatMap(
            one ->
                Stream.concat(
                    one.update().feed().entries().stream(), one.update().changed().stream()))
        .filter(entry -> new EntryKey(ref.key().feedId(), entry.id()).equals(ref.key()))
        .findFirst();
  }

  /** The given entries that the store has no more, or that their feeds have removed. */
  public Set<Ref> gone(List<Ref> refs) {
    return database.read(
        handle -> {
          Set<Ref> gone = new HashSet<>();
          for (Ref ref : refs) {
            boolean there =
                handle
                    .createQuery(
                        """
                        SELECT EXISTS (SELECT 1 FROM entry WHERE feed_id = :feed AND entry_key = :key)
                          OR EXISTS (SELECT 1 FROM event WHERE seq = :seq)
                        """)
                    .bind("feed", ref.key().feedId())
                    .bind("key", ref.key().hash())
                    .bind("seq", ref.seq())
                    .mapTo(Boolean.class)
                    .one();
            if (!there || SqlSeen.isGone(handle, ref.key())) {
              gone.add(ref);
            }
          }
          return gone;
        });
  }

  /**
   * The place of an entry.
   *
   * @param seq the event that brought it; absent for an entry that existed when following began
   */
  public record Ref(EntryKey key, @Nullable Long seq) {}

  /**
   * An entry with its feed.
   *
   * @param fields the feed's own, as far as they are known
   * @param seq the event that brought it; absent for an entry that existed when following began
   */
  public record Found(FollowedFeed feed, Feed fields, Entry entry, @Nullable Long seq) {}

  /** A feed whose first entries are to be indexed, under a number that is not used again. */
  public record Due(long id, long feedId) {}
}
