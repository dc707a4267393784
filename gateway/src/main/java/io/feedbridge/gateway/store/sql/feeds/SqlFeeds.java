package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.DueRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Weight;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** Feeds, their entries seen and their event log as SQL. */
public final class SqlFeeds implements Feeds {

  private static final Database.Joint<PutOff, @Nullable Void> PUT_OFF = SqlFeeds::putOff;

  private final Database database;

  public SqlFeeds(Database database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<FollowedFeed> follow(String topic, Instant now) {
    return database.write((handle, effects) -> FollowedFeeds.follow(handle, effects, topic, now));
  }

  @Override
  public CompletableFuture<Set<String>> keep(List<String> topics, Instant now) {
    return database.write(
        (handle, effects) -> {
          Set<String> begun = new HashSet<>();
          for (String topic : topics) {
            boolean known =
                handle
                    .createQuery("SELECT 1 FROM feed WHERE topic = :topic AND followed = 1")
                    .bind("topic", topic)
                    .mapTo(Integer.class)
                    .findOne()
                    .isPresent();
            if (!known) {
              begun.add(topic);
              FollowedFeed unused = FollowedFeeds.follow(handle, effects, topic, now);
            }
            handle
                .createUpdate("UPDATE feed SET kept = 1 WHERE topic = :topic")
                .bind("topic", topic)
                .execute();
          }
          return begun;
        });
  }

  @Override
  public List<FollowedFeed> followed(long after, int limit) {
    return database.read(handle -> FeedReads.followed(handle, after, limit));
  }

  @Override
  public CompletableFuture<Void> unfollowIfUnused(long feedId, Instant now) {
    return database.change(
        (handle, effects) -> {
          FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
        });
  }

  @Override
  public CompletableFuture<Boolean> freeLeft(Instant before, Instant now, int most) {
    return database.writePatiently(
        (handle, effects) -> FollowedFeeds.freeLeft(handle, before, now, most));
  }

  @Override
  public CompletableFuture<Void> unfollowUnused() {
    return database.change(
        (handle, effects) -> {
          FollowedFeeds.unfollowUnused(handle);
          effects.add(Effect.FOLLOWING);
        });
  }

  @Override
  public Optional<FollowedFeed> byId(long feedId) {
    return database.read(handle -> FeedReads.byId(handle, feedId));
  }

  @Override
  public Optional<FeedKind> kind(long feedId) {
    return database.read(handle -> FeedReads.kind(handle, feedId));
  }

  @Override
  public List<FollowedFeed> ofDocument(String url, int limit) {
    return database.read(handle -> FeedReads.ofDocument(handle, url, limit));
  }

  @Override
  public Optional<FollowedFeed> byTopic(String topic) {
    return database.read(handle -> FeedReads.byTopic(handle, topic));
  }

  @Override
  public List<FollowedFeed> ofPage(String page, int limit) {
    return database.read(handle -> FeedReads.ofPage(handle, page, limit));
  }

  @Override
  public List<FollowedFeed> due(Instant now, int limit) {
    return new DueRows(database, "feed", "next_fetch_at")
        .read(
            now,
            (handle, damaged) ->
                DamagedRows.list(
                    handle
                        .createQuery(
                            """
                    SELECT * FROM feed WHERE followed = 1 AND next_fetch_at <= :now
                    ORDER BY next_fetch_at LIMIT :limit
                    """)
                        .bind("now", now.toEpochMilli())
                        .bind("limit", limit),
                    "feed",
                    Rows::feed,
                    damaged));
  }

  @Override
  public Optional<Instant> nextDue() {
    return database.read(FeedReads::nextDue);
  }

  @Override
  public CompletableFuture<Integer> spreadDue(Instant now, int perTick, Duration tick) {
    return database.write(
        (handle, effects) -> {
          effects.add(Effect.FETCH_DUE);
          return handle
              .createUpdate(
                  """
                  UPDATE feed SET next_fetch_at = :now + due.number / :perTick * :tick
                  FROM (
                    SELECT id, ROW_NUMBER() OVER (ORDER BY next_fetch_at, id) - 1 AS number
                    FROM feed
                    WHERE followed = 1 AND next_fetch_at <= :now
                      AND first_fetch_at IS NOT NULL AND retry_via IS NULL) AS due
                  WHERE feed.id = due.id AND due.number >= :perTick
                  """)
              .bind("now", now.toEpochMilli())
              .bind("perTick", perTick)
              .bind("tick", tick.toMillis())
              .execute();
        });
  }

  @Override
  public CompletableFuture<Void> asked(FollowedFeed due, Instant again) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  UPDATE feed SET next_fetch_at = :again
                  WHERE id = :id AND followed = 1 AND next_fetch_at = :due
                  """)
              .bind("again", again.toEpochMilli())
              .bind("id", due.id())
              .bind("due", due.nextFetchAt() == null ? null : due.nextFetchAt().toEpochMilli())
              .execute();
          effects.add(Effect.FETCH_DUE);
        });
  }

  @Override
  public CompletableFuture<Void> postpone(long feedId, Instant nextFetchAt) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate("UPDATE feed SET next_fetch_at = :at WHERE id = :id AND followed = 1")
              .bind("at", nextFetchAt.toEpochMilli())
              .bind("id", feedId)
              .execute();
          effects.add(Effect.FETCH_DUE);
        });
  }

  /**
   * Work that is done later.
   *
   * @param reason that is on record until then; null if there is none
   */
  private record PutOff(
      Position work, Instant until, @Nullable Via retryVia, @Nullable String reason) {}

  @Override
  public CompletableFuture<Void> putOff(
      Position work, Instant nextFetchAt, @Nullable Via retryVia) {
    return putOff(new PutOff(work, nextFetchAt, retryVia, null));
  }

  @Override
  public CompletableFuture<Void> holdBack(Position work, HeldBack held, @Nullable Via retryVia) {
    return putOff(new PutOff(work, held.until(), retryVia, held.reason()));
  }

  private CompletableFuture<Void> putOff(PutOff one) {
    return SqlWork.ending(
        database, one.work.feedId(), database.write(Database.SMALL_WRITE_BYTES, PUT_OFF, one));
  }

  private static List<@Nullable Void> putOff(Handle handle, Set<Effect> effects, List<PutOff> all) {
    Map<Long, Arrivals> arrivals = SqlWork.done(handle, all.stream().map(PutOff::work).toList());
    PreparedBatch due =
        handle.prepareBatch(
            """
            UPDATE feed SET next_fetch_at = :at, retry_via = COALESCE(:via, retry_via)
            WHERE id = :id AND followed = 1
            """);
    PreparedBatch held =
        handle.prepareBatch(
            """
            INSERT INTO held_back (feed_id, reason, until) VALUES (:feed, :reason, :until)
            ON CONFLICT (feed_id) DO UPDATE SET
              reason = excluded.reason, until = excluded.until
            """);
    Map<Long, String> reasons = new HashMap<>();
    for (PutOff one : all) {
      long feed = one.work.feedId();
      due.bind("at", one.until.toEpochMilli())
          .bind("via", one.retryVia == null ? null : one.retryVia.name())
          .bind("id", feed)
          .add();
      if (one.reason != null) {
        reasons.put(feed, one.reason);
        held.bind("feed", feed)
            .bind("reason", one.reason)
            .bind("until", one.until.toEpochMilli())
            .add();
      }
    }
    FeedHistory.putOff(handle, arrivals, reasons);
    due.execute();
    held.execute();
    effects.add(Effect.FETCH_DUE);
    return Collections.nCopies(all.size(), null);
  }

  /** {@link #holdBack} is over, within the transaction that records an outcome. */
  static void held(Handle handle, long feedId) {
    handle
        .createUpdate("DELETE FROM held_back WHERE feed_id = :feed")
        .bind("feed", feedId)
        .execute();
  }

  @Override
  public Optional<HeldBack> heldBack(long feedId) {
    return database.read(handle -> FeedReads.heldBack(handle, feedId));
  }

  @Override
  public CompletableFuture<Void> abandon(Position work, Instant nextFetchAt, String reason) {
    return SqlWork.ending(
        database,
        work.feedId(),
        database.change(
            (handle, effects) -> {
              SqlWork.done(handle, List.of(work))
                  .forEach((feed, items) -> FeedHistory.abandoned(handle, items, feed, reason));
              handle
                  .createUpdate(
                      """
                  UPDATE feed SET tried = 1, state = :error,
                    next_fetch_at = CASE WHEN followed = 1 THEN :at END,
                    fetched = CASE WHEN json_valid(fetched)
                      THEN json_set(fetched, '$.message', :reason) ELSE fetched END
                  WHERE id = :id
                  """)
                  .bind("error", FeedState.ERROR.name())
                  .bind("at", nextFetchAt.toEpochMilli())
                  .bind("reason", reason)
                  .bind("id", work.feedId())
                  .execute();
              effects.add(Effect.FETCHED);
              effects.add(Effect.FETCH_DUE);
              effects.add(Effect.VERIFICATION);
            }));
  }

  @Override
  public Map<String, SeenEntry> seen(long feedId, Collection<String> entryIds) {
    return SqlSeen.of(database, feedId, entryIds);
  }

  @Override
  public boolean knows(long feedId, String entryId) {
    return database.read(handle -> SqlSeen.knows(handle, feedId, entryId));
  }

  @Override
  public Set<String> knownFingerprints(long feedId, Collection<String> fingerprints) {
    return SqlSeen.fingerprints(database, feedId, fingerprints);
  }

  @Override
  public Optional<Body> body(long feedId) {
    return database.readLong(handle -> SqlBodies.of(handle, feedId));
  }

  @Override
  public int bodyLength(long feedId) {
    return database.read(handle -> SqlBodies.length(handle, feedId));
  }

  @Override
  public CompletableFuture<Boolean> keepBody(long feedId, Instant until, Instant now) {
    return database.write(
        (handle, effects) -> SqlBodies.wanted(handle, effects, feedId, until, now));
  }

  @Override
  public Optional<Newest> newest(long feedId, int limit) {
    return database.read(handle -> FeedReads.newest(handle, feedId, limit));
  }

  @Override
  public Optional<Instant> changedAt(long feedId) {
    return database.read(handle -> SqlEntries.changedAt(handle, feedId));
  }

  @Override
  public long newestLength(long feedId) {
    return database.read(handle -> SqlEntries.length(handle, feedId));
  }

  @Override
  public OptionalLong nextEvent(long feedId, long after) {
    return database.read(handle -> FeedReads.nextEvent(handle, feedId, after));
  }

  @Override
  public List<Event> lastEvents(long feedId, long upTo, int limit) {
    return database.read(handle -> FeedReads.lastEvents(handle, feedId, upTo, limit));
  }

  @Override
  public List<Event> events(long feedId, long after, long upTo) {
    return database.readLong(handle -> FeedReads.events(handle, feedId, after, upTo));
  }

  @Override
  public CompletableFuture<List<Long>> record(Outcome outcome) {
    return SqlWork.ending(
        database,
        outcome.position().feedId(),
        database.writePatiently(Weight.of(outcome), SqlRecording.OUTCOME, outcome));
  }

  @Override
  public boolean isUnconfirmed(long feedId) {
    return database.read(handle -> FeedReads.isUnconfirmed(handle, feedId));
  }

  @Override
  public long unconfirmedBytes() {
    return database.readLong(FeedReads::unconfirmedBytes);
  }
}
