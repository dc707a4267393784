package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.Figures;
import io.feedbridge.gateway.store.Followings;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscriptions;
import org.jdbi.v3.core.Handle;

/** The store in one SQLite file. */
public final class SqliteStore implements Store {

  private static final String OLDEST_UNDELIVERED =
      """
      SELECT MIN(at) AS at FROM (
        SELECT (SELECT MIN(at) FROM event
                WHERE feed_id = laggard.feed_id AND seq > laggard.cursor) AS at
        FROM laggard WHERE next_attempt_at IS NOT NULL
        UNION ALL
        SELECT (SELECT MIN(at) FROM event
                WHERE feed_id = feed.id AND seq > feed.rounded
                  AND seq > (SELECT MIN(start) FROM subscription WHERE feed_id = feed.id))
        FROM feed WHERE head > rounded)
      """;

  private final SqliteDatabase database;
  private final Feeds feeds;
  private final Followings followings;
  private final Subscriptions subscriptions;
  private final Rounds rounds;
  private final Laggards laggards;

  /** Uses the database, which stays its opener's to close. */
  public SqliteStore(SqliteDatabase database) {
    this.database = database;
    feeds = new SqliteFeeds(database);
    followings = new SqliteFollowings(database);
    subscriptions = new SqliteSubscriptions(database);
    rounds = new SqliteRounds(database);
    laggards = new SqliteLaggards(database);
  }

  @Override
  public Feeds feeds() {
    return feeds;
  }

  @Override
  public Followings followings() {
    return followings;
  }

  @Override
  public Subscriptions subscriptions() {
    return subscriptions;
  }

  @Override
  public Rounds rounds() {
    return rounds;
  }

  @Override
  public Laggards laggards() {
    return laggards;
  }

  @Override
  public void onChange(Change change, Runnable listener) {
    for (Effect effect : Effect.values()) {
      if (effect.change().filter(change::equals).isPresent()) {
        database.on(effect, listener);
      }
    }
  }

  @Override
  public Figures figures() {
    return database.read(
        handle ->
            new Figures(
                count(handle, "feed WHERE followed = 1"),
                count(handle, "subscription WHERE protocol = '" + Protocol.WEBSUB + "'"),
                count(handle, "subscription WHERE protocol = '" + Protocol.RSSCLOUD + "'"),
                count(handle, "following WHERE state IN ('ACTIVE', 'RENEWING')"),
                count(handle, "laggard WHERE next_attempt_at IS NOT NULL"),
                handle
                    .createQuery(OLDEST_UNDELIVERED)
                    .map((row, context) -> Rows.instantOrNull(row, "at"))
                    .findOne()
                    .orElse(null)));
  }

  private static long count(Handle handle, String from) {
    return handle.createQuery("SELECT COUNT(*) FROM " + from).mapTo(Long.class).one();
  }
}
