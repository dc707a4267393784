package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Feeds that are fetched with credentials, and whose entries are therefore for operators alone. A
 * feed stays private when it is followed no more, since its entries may still be stored. Safe for
 * use by several threads. The process that owns the store knows all of them from its start; another
 * node reads them again and again.
 */
public final class PrivateFeeds {

  /** Why the feed is refused: as if the gateway had no credentials for its origin. */
  public static final String REFUSED =
      "the topic cannot be fetched: " + FollowedFeed.ASKS_FOR_CREDENTIALS;

  /** Feeds that may be private at once, including feeds that are followed no more. */
  public static final int MAX = 10_000;

  private static final int AT_ONCE = 500;

  private final Database database;
  private final Transitions transitions;

  /** The ids of the feeds that have a row, by their topics; and of a row that is being written. */
  private final Map<String, Long> stored = new ConcurrentHashMap<>();

  private final Set<Long> ids = ConcurrentHashMap.newKeySet();
  private final Set<String> hidden = ConcurrentHashMap.newKeySet();

  /** Reads the store. Blocks. */
  public PrivateFeeds(Database database, Transitions transitions) {
    this.database = database;
    this.transitions = transitions;
    refresh();
  }

  /** Reads the store anew, at a node that does not own it. Blocks. */
  public synchronized void refresh() {
    Map<String, Long> all =
        database.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT f.id, f.topic FROM private_feed p JOIN feed f ON f.id = p.feed_id")
                    .collectRows(
                        Collectors.toMap(
                            row -> row.getColumn("topic", String.class),
                            row -> row.getColumn("id", Long.class))));
    stored.putAll(all);
    ids.addAll(all.values());
    stored.keySet().retainAll(all.keySet());
    ids.retainAll(all.values());
  }

  /** Whether the feed of a topic is private. Never blocks. */
  public boolean contains(String topic) {
    return stored.containsKey(topic) || hidden.contains(topic);
  }

  /** Whether a feed is private. Never blocks. */
  public boolean contains(long feedId) {
    return ids.contains(feedId);
  }

  /** The number of private feeds, including feeds that are followed no more. Never blocks. */
  public int count() {
    return stored.size() + (int) hidden.stream().filter(one -> !stored.containsKey(one)).count();
  }

  /**
   * Makes the feed of a topic private in this process until {@link #show}, before {@link #set} does
   * so for good: from now on no caller is let in that {@link #set} would have to put out. A feed
   * that is followed is followed for good.
   *
   * @return the id of a feed that is followed
   */
  public CompletableFuture<Optional<Long>> hide(String topic) {
    hidden.add(topic);
    return database.write(
        (handle, effects) ->
            handle
                .createQuery(
                    "UPDATE feed SET kept = 1 WHERE topic = :topic AND followed = 1 RETURNING id")
                .bind("topic", topic)
                .mapTo(Long.class)
                .findOne());
  }

  /** Ends {@link #hide}; the feed stays private if it is by {@link #set}. Never blocks. */
  public void show(String topic) {
    hidden.remove(topic);
  }

  /**
   * Ends subscriptions to a feed that have not the operator's credentials, and waiting requests for
   * them, up to a limit. WebSub subscribers are told {@link #REFUSED}.
   *
   * @return how many it has ended; none is left if that is below the limit
   */
  public CompletableFuture<Integer> dismiss(long feedId, Instant now, int limit) {
    return transitions.step(
        database::write,
        (handle, effects, told) -> dismiss(handle, effects, feedId, now, limit, told));
  }

  private static int dismiss(
      Handle handle,
      Set<Effect> effects,
      long feedId,
      Instant now,
      int limit,
      Transitions.Told told) {
    return SqlDismissals.some(
        handle, effects, SqlDismissals.Whose.STRANGERS, feedId, REFUSED, now, limit, told);
  }

  /** The credentials of a feed; empty where it has none. Blocks. */
  public Optional<FeedCredentials> of(long feedId) {
    return contains(feedId)
        ? database.read(handle -> find(handle, feedId))
        // The usual case costs no read.
        : Optional.empty();
  }

  private static Optional<FeedCredentials> find(Handle handle, long feedId) {
    return handle
        .createQuery(
            """
            SELECT f.topic, p.credentials FROM private_feed p JOIN feed f ON f.id = p.feed_id
            WHERE p.feed_id = :feed AND p.credentials IS NOT NULL
            """)
        .bind("feed", feedId)
        .map(
            (row, context) ->
                Json.read(
                    Sealing.of(context)
                        .open(row.getString("credentials"), Sealing.FEED, row.getString("topic")),
                    FeedCredentials.class))
        .findOne();
  }

  /**
   * Follows the feed of a topic for good, with these credentials in place of earlier ones, and has
   * it fetched at once. The readers of its bridged feed count no longer, and the subscriptions that
   * {@link #dismiss} has left end. Changes of one feed must not overlap.
   *
   * @param credentials not empty
   */
  public CompletableFuture<FollowedFeed> set(
      String topic, FeedCredentials credentials, Instant now) {
    AtomicReference<@Nullable Long> added = new AtomicReference<>();
    return transitions
        .step(
            database::write,
            (handle, effects, told) -> {
              FollowedFeed feed = FollowedFeeds.follow(handle, effects, topic, now);
              write(handle, feed, credentials, now);
              effects.add(Effect.FETCH_DUE);
              // None can come in any more, now that the row is there: see Activation.
              int ended = AT_ONCE;
              while (ended == AT_ONCE) {
                ended = dismiss(handle, effects, feed.id(), now, AT_ONCE, told);
              }
              // Before the commit: the fetch that is due from then on asks for the credentials.
              if (ids.add(feed.id())) {
                added.set(feed.id());
              }
              stored.put(topic, feed.id());
              return feed;
            })
        .whenComplete(
            (feed, failure) -> {
              Long id = added.get();
              if (failure != null && id != null) {
                forgetUnlessStored(topic, id);
              }
            });
  }

  private static void write(
      Handle handle, FollowedFeed feed, FeedCredentials credentials, Instant now) {
    // The document of another caller is not that of this one.
    handle
        .createUpdate(
            """
            UPDATE feed SET kept = 1, bridged_at = NULL, next_fetch_at = :now,
              etag = NULL, last_modified = NULL
            WHERE id = :id
            """)
        .bind("now", now.toEpochMilli())
        .bind("id", feed.id())
        .execute();
    handle
        .createUpdate(
            """
            INSERT INTO private_feed (feed_id, credentials) VALUES (:id, :credentials)
            ON CONFLICT (feed_id) DO UPDATE SET credentials = excluded.credentials
            """)
        .bind("id", feed.id())
        .bind(
            "credentials",
            Sealing.of(handle).seal(Json.text(credentials), Sealing.FEED, feed.topic()).text())
        .execute();
  }

  /** After a commit that failed, of which some have reached the disk. */
  private void forgetUnlessStored(String topic, long id) {
    try {
      boolean there =
          database.read(
              handle ->
                  handle
                      .createQuery("SELECT 1 FROM private_feed WHERE feed_id = :id")
                      .bind("id", id)
                      .mapTo(Integer.class)
                      .findOne()
                      .isPresent());
      if (!there) {
        forget(topic);
      }
    } catch (StoreException unknown) {
      // The feed stays private until it is known, or changed again.
    }
  }

  private void forget(String topic) {
    Long id = stored.remove(topic);
    if (id != null) {
      ids.remove(id);
    }
  }

  /**
   * Takes the credentials of the feed of a topic away, if there are any: the feed and its stored
   * entries are public again. Changes of one feed must not overlap.
   */
  public CompletableFuture<Void> clear(String topic) {
    return database
        .change(
            (handle, effects) ->
                handle
                    .createUpdate(
                        """
                        DELETE FROM private_feed WHERE feed_id IN
                          (SELECT id FROM feed WHERE topic = :topic)
                        """)
                    .bind("topic", topic)
                    .execute())
        .thenRun(() -> forget(topic));
  }
}
