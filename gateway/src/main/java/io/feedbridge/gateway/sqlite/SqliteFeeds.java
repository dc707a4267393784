package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Newest;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.PageUrl;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Feeds, their entries seen and their event log in SQLite. */
final class SqliteFeeds implements Feeds {

  /** Ids looked up by one statement; SQLite admits 32,766 variables. */
  private static final int IDS_AT_ONCE = 1_000;

  private static final String UNFOLLOW_UNUSED =
      """
      UPDATE feed SET followed = 0, next_fetch_at = NULL, revision = revision + 1
      WHERE followed = 1 AND kept = 0 AND bridged_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM subscription WHERE feed_id = feed.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_topic WHERE feed_id = feed.id)
        AND NOT EXISTS
          (SELECT 1 FROM verification WHERE feed_id = feed.id AND mode = 'SUBSCRIBE')
      """;

  private static final FollowedFeed.Fetched NEVER_FETCHED =
      new FollowedFeed.Fetched(
          null,
          null,
          null,
          Duration.ZERO,
          0,
          false,
          null,
          null,
          new FollowedFeed.Maintenance(null, 0, null));

  private final SqliteDatabase database;

  SqliteFeeds(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<FollowedFeed> follow(String topic, Instant now) {
    return database.write((handle, effects) -> follow(handle, effects, topic, now));
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
              FollowedFeed unused = follow(handle, effects, topic, now);
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
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT * FROM feed WHERE followed = 1 AND id > :after ORDER BY id LIMIT :limit")
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> Rows.feed(row))
                .list());
  }

  /**
   * {@link #follow} as part of a larger transaction. A feed that was let go gets a new baseline:
   * what it published while nobody was subscribed is news to nobody.
   */
  static FollowedFeed follow(Handle handle, Set<Effect> effects, String topic, Instant now) {
    int changed =
        handle
            .createUpdate(
                """
                INSERT INTO feed (topic, url, kind, state, followed, next_fetch_at, fetched, advertised)
                VALUES (:topic, :topic, :kind, :state, 1, :now, :fetched, :advertised)
                ON CONFLICT (topic) DO UPDATE SET
                  followed = 1, tried = 0, first_fetch_at = NULL, next_fetch_at = :now,
                  revision = revision + 1
                WHERE followed = 0
                """)
            .bind("topic", topic)
            .bind("kind", FeedKind.UNKNOWN.name())
            .bind("state", FeedState.NEW.name())
            .bind("now", now.toEpochMilli())
            .bind("fetched", Json.text(NEVER_FETCHED))
            .bind("advertised", Json.text(Advertised.NOTHING))
            .execute();
    // A topic whose first fetch failed is fetched again for whoever asks for it anew.
    changed +=
        handle
            .createUpdate(
                """
                UPDATE feed SET tried = 0, next_fetch_at = :now
                WHERE topic = :topic AND tried = 1 AND first_fetch_at IS NULL
                """)
            .bind("topic", topic)
            .bind("now", now.toEpochMilli())
            .execute();
    // One that is gone is tried again for whoever asks for it.
    changed +=
        handle
            .createUpdate(
                """
                UPDATE feed SET tried = 0, next_fetch_at = :now
                WHERE topic = :topic AND state = 'GONE' AND next_fetch_at IS NULL
                """)
            .bind("topic", topic)
            .bind("now", now.toEpochMilli())
            .execute();
    if (changed > 0) {
      effects.add(Effect.FETCH_DUE);
    }
    return handle
        .createQuery("SELECT * FROM feed WHERE topic = :topic")
        .bind("topic", topic)
        .map((row, context) -> Rows.feed(row))
        .one();
  }

  /**
   * Follows a feed again that was let go of a moment ago, with the baseline it had: its subscriber
   * is active at once, so that whatever appeared since is news (rule L11).
   */
  static void resume(Handle handle, Set<Effect> effects, long feedId, Instant now) {
    int resumed =
        handle
            .createUpdate(
                """
                UPDATE feed SET followed = 1, next_fetch_at = :now, revision = revision + 1
                WHERE id = :id AND followed = 0
                """)
            .bind("now", now.toEpochMilli())
            .bind("id", feedId)
            .execute();
    if (resumed > 0) {
      effects.add(Effect.FETCH_DUE);
      effects.add(Effect.FOLLOWING);
    }
  }

  @Override
  public CompletableFuture<Void> unfollowIfUnused(long feedId, Instant now) {
    return database.change(
        (handle, effects) -> {
          unfollowIfUnused(handle, effects, feedId);
        });
  }

  @Override
  public CompletableFuture<Void> unfollowUnused() {
    return database.change(
        (handle, effects) -> {
          handle.execute(UNFOLLOW_UNUSED);
          effects.add(Effect.FOLLOWING);
        });
  }

  /** {@link #unfollowIfUnused} as part of a larger transaction. */
  static void unfollowIfUnused(Handle handle, Set<Effect> effects, long feedId) {
    int unfollowed =
        handle.createUpdate(UNFOLLOW_UNUSED + " AND id = :id").bind("id", feedId).execute();
    if (unfollowed > 0) {
      effects.add(Effect.FOLLOWING);
    }
  }

  @Override
  public Optional<FollowedFeed> byId(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM feed WHERE id = :id")
                .bind("id", feedId)
                .map((row, context) -> Rows.feed(row))
                .findOne());
  }

  @Override
  public Optional<FeedKind> kind(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT kind FROM feed WHERE id = :id")
                .bind("id", feedId)
                .map((row, context) -> FeedKind.valueOf(row.getString("kind")))
                .findOne());
  }

  @Override
  public Optional<FollowedFeed> byTopic(String topic) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM feed WHERE topic = :topic")
                .bind("topic", topic)
                .map((row, context) -> Rows.feed(row))
                .findOne());
  }

  @Override
  public List<FollowedFeed> ofPage(String page, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT feed.* FROM feed_page JOIN feed ON feed.id = feed_page.feed_id
                    WHERE feed_page.page = :page AND feed.followed = 1 ORDER BY feed.id LIMIT :limit
                    """)
                .bind("page", PageUrl.of(page).orElse(page))
                .bind("limit", limit)
                .map((row, context) -> Rows.feed(row))
                .list());
  }

  @Override
  public List<FollowedFeed> due(Instant now, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM feed WHERE followed = 1 AND next_fetch_at <= :now
                    ORDER BY next_fetch_at LIMIT :limit
                    """)
                .bind("now", now.toEpochMilli())
                .bind("limit", limit)
                .map((row, context) -> Rows.feed(row))
                .list());
  }

  @Override
  public Optional<Instant> nextDue() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT next_fetch_at AS at FROM feed
                    WHERE followed = 1 AND next_fetch_at IS NOT NULL
                    ORDER BY next_fetch_at LIMIT 1
                    """)
                .map((row, context) -> Rows.instant(row, "at"))
                .findOne());
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

  @Override
  public CompletableFuture<Void> putOff(
      Position work, Instant nextFetchAt, @Nullable Via retryVia) {
    return database.change(
        (handle, effects) -> {
          SqliteWork.done(handle, work);
          handle
              .createUpdate(
                  """
                  UPDATE feed SET next_fetch_at = :at, retry_via = COALESCE(:via, retry_via)
                  WHERE id = :id AND followed = 1
                  """)
              .bind("at", nextFetchAt.toEpochMilli())
              .bind("via", retryVia == null ? null : retryVia.name())
              .bind("id", work.feedId())
              .execute();
          effects.add(Effect.FETCH_DUE);
        });
  }

  @Override
  public Map<String, SeenEntry> seen(long feedId, Collection<String> entryIds) {
    Map<String, SeenEntry> seen = new HashMap<>();
    List<String> ids = List.copyOf(entryIds);
    for (int from = 0; from < ids.size(); from += IDS_AT_ONCE) {
      List<String> some = ids.subList(from, Math.min(ids.size(), from + IDS_AT_ONCE));
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
          .forEach(entry -> seen.put(entry.id(), entry));
    }
    return seen;
  }

  @Override
  public Set<String> knownFingerprints(long feedId, Collection<String> fingerprints) {
    Set<String> known = new HashSet<>();
    List<String> all = List.copyOf(fingerprints);
    for (int from = 0; from < all.size(); from += IDS_AT_ONCE) {
      List<String> some = all.subList(from, Math.min(all.size(), from + IDS_AT_ONCE));
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

  @Override
  public Optional<Body> body(long feedId) {
    return database.readLong(
        handle ->
            handle
                .createQuery("SELECT content_type, bytes FROM body WHERE feed_id = :feed")
                .bind("feed", feedId)
                .map(
                    (row, context) ->
                        new Body(row.getString("content_type"), row.getBytes("bytes")))
                .findOne());
  }

  @Override
  public Optional<Newest> newest(long feedId, int limit) {
    return database.read(
        handle -> handle.inTransaction(at -> SqliteEntries.newest(at, feedId, limit)));
  }

  @Override
  public List<Event> lastEvents(long feedId, long upTo, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM event WHERE feed_id = :feed AND seq <= :upTo
                    ORDER BY seq DESC LIMIT :limit
                    """)
                .bind("feed", feedId)
                .bind("upTo", upTo)
                .bind("limit", limit)
                .map((row, context) -> Rows.event(row))
                .list());
  }

  @Override
  public List<Event> events(long feedId, long after, long upTo) {
    return database.readLong(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM event WHERE feed_id = :feed AND seq > :after AND seq <= :upTo
                    ORDER BY seq
                    """)
                .bind("feed", feedId)
                .bind("after", after)
                .bind("upTo", upTo)
                .map((row, context) -> Rows.event(row))
                .list());
  }

  @Override
  public CompletableFuture<List<Long>> record(Outcome outcome) {
    return database.write(
        Weight.of(outcome), (handle, effects) -> SqliteRecording.record(handle, effects, outcome));
  }
}
