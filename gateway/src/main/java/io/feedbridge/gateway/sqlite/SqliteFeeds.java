package io.feedbridge.gateway.sqlite;

import static io.feedbridge.gateway.sqlite.Rows.millis;

import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Feeds, their entries seen and their event log in SQLite. */
final class SqliteFeeds implements Feeds {

  /** Ids looked up by one statement; SQLite admits 32,766 variables. */
  private static final int IDS_AT_ONCE = 1_000;

  private static final String UNFOLLOW_UNUSED =
      """
      UPDATE feed SET followed = 0, next_fetch_at = NULL, revision = revision + 1
      WHERE followed = 1
        AND NOT EXISTS (SELECT 1 FROM subscription WHERE feed_id = feed.id)
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
                          SELECT entry_id, fingerprint, updated_at FROM entry_seen
                          WHERE feed_id = :feed AND entry_id IN (<ids>)
                          """)
                      .bind("feed", feedId)
                      .bindList("ids", some)
                      .map(
                          (row, context) ->
                              new SeenEntry(
                                  row.getString("entry_id"),
                                  row.getString("fingerprint"),
                                  Rows.instantOrNull(row, "updated_at")))
                      .list())
          .forEach(entry -> seen.put(entry.id(), entry));
    }
    return seen;
  }

  @Override
  public Optional<Body> body(long feedId) {
    return database.read(
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
  public List<Event> events(long feedId, long after, long upTo) {
    return database.read(
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
        (handle, effects) -> {
          SqliteWork.done(handle, outcome.position());
          remember(handle, outcome);
          if (outcome.body() != null) {
            keep(handle, outcome.feed().id(), outcome.body());
          }
          List<Long> appended = append(handle, outcome);
          update(handle, outcome, appended);
          effects.add(Effect.FETCHED);
          effects.add(Effect.FETCH_DUE);
          effects.add(Effect.FOLLOWING);
          effects.add(Effect.VERIFICATION);
          if (!appended.isEmpty()) {
            effects.add(Effect.APPENDED);
          }
          return appended;
        });
  }

  private static void remember(Handle handle, Outcome outcome) {
    if (outcome.seen().isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            INSERT INTO entry_seen (feed_id, entry_id, fingerprint, updated_at, seen_at)
            VALUES (:feed, :entry, :fingerprint, :updated, :now)
            ON CONFLICT (feed_id, entry_id) DO UPDATE SET
              fingerprint = excluded.fingerprint, updated_at = excluded.updated_at,
              seen_at = excluded.seen_at
            """);
    for (SeenEntry entry : outcome.seen()) {
      batch
          .bind("feed", outcome.feed().id())
          .bind("entry", entry.id())
          .bind("fingerprint", entry.fingerprint())
          .bind("updated", millis(entry.updated()))
          .bind("now", outcome.at().toEpochMilli())
          .add();
    }
    batch.execute();
  }

  private static void keep(Handle handle, long feedId, Body body) {
    handle
        .createUpdate(
            """
            INSERT INTO body (feed_id, content_type, bytes) VALUES (:feed, :type, :bytes)
            ON CONFLICT (feed_id) DO UPDATE SET
              content_type = excluded.content_type, bytes = excluded.bytes
            """)
        .bind("feed", feedId)
        .bind("type", body.contentType())
        .bind("bytes", body.bytes())
        .execute();
  }

  private static List<Long> append(Handle handle, Outcome outcome) {
    List<Long> appended = new ArrayList<>();
    for (Update update : outcome.updates()) {
      appended.add(
          handle
              .createUpdate(
                  """
                  INSERT INTO event (feed_id, at, via, entries, payload)
                  VALUES (:feed, :at, :via, :entries, :payload)
                  """)
              .bind("feed", outcome.feed().id())
              .bind("at", outcome.at().toEpochMilli())
              .bind("via", outcome.via().name())
              .bind("entries", update.feed().entries().size() + update.changed().size())
              .bind("payload", Json.bytes(update))
              .executeAndReturnGeneratedKeys("seq")
              .mapTo(Long.class)
              .one());
    }
    return appended;
  }

  private static void update(Handle handle, Outcome outcome, List<Long> appended) {
    FollowedFeed feed = outcome.feed();
    String advertised = Json.text(feed.advertised());
    // The way of following is chosen anew after the first fetch and whenever what is advertised
    // changed.
    handle
        .createUpdate(
            """
            UPDATE feed SET
              revision = revision
                + (advertised <> :advertised OR (first_fetch_at IS NULL) <> (:first IS NULL)),
              url = :url, kind = :kind, state = :state, tried = 1,
              head = MAX(head, :head), first_fetch_at = :first,
              next_fetch_at = CASE WHEN followed = 1 THEN :next END,
              retry_via = :retry, fetched = :fetched, etag = :etag,
              last_modified = :modified, body_hash = :hash, advertised = :advertised
            WHERE id = :id
            """)
        .bind("id", feed.id())
        .bind("url", feed.url())
        .bind("kind", feed.kind().name())
        .bind("state", feed.state().name())
        .bind("head", appended.isEmpty() ? 0 : appended.get(appended.size() - 1))
        .bind("first", millis(feed.firstFetchAt()))
        .bind("next", millis(feed.nextFetchAt()))
        .bind("retry", feed.retryVia() == null ? null : feed.retryVia().name())
        .bind("fetched", Json.text(feed.fetched()))
        .bind("etag", feed.validators().etag())
        .bind("modified", feed.validators().lastModified())
        .bind("hash", feed.validators().bodyHash())
        .bind("advertised", advertised)
        .execute();
  }
}
