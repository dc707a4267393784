package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.Figures;
import io.feedbridge.gateway.store.feeds.SitePaces;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.sql.deliveries.DueHosts;
import io.feedbridge.gateway.store.sql.deliveries.Notices;
import io.feedbridge.gateway.store.sql.deliveries.SqlLaggards;
import io.feedbridge.gateway.store.sql.deliveries.SqlLog;
import io.feedbridge.gateway.store.sql.deliveries.SqlRounds;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.sql.feeds.Bridges;
import io.feedbridge.gateway.store.sql.feeds.Denials;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.sql.feeds.Publishers;
import io.feedbridge.gateway.store.sql.feeds.Restrictions;
import io.feedbridge.gateway.store.sql.feeds.SqlFeeds;
import io.feedbridge.gateway.store.sql.feeds.SqlSitePaces;
import io.feedbridge.gateway.store.sql.feeds.SqlUpstreamSubscriptions;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.sql.subscriptions.SqlSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Transition;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * Everything durable but work, in one database. Safe for use by several threads.
 *
 * @param database the database under the store
 * @param transitions the transitions of subscriptions, for their listeners
 * @param feeds feeds: their kind, their next fetch, and their stored entries
 * @param upstreamSubscriptions the gateway's own subscriptions at hubs and clouds
 * @param subscriptions subscriptions, and requests that wait for verification
 * @param denials subscribers that are still to be told that a feed is gone
 * @param upstreams hubs and clouds, and their records of success
 * @param rounds the rounds of the fan-out
 * @param laggards the subscribers that rounds pass over
 * @param log the event log as a whole
 * @param consumers consumers of the whole log
 * @param webhooks endpoints that are sent JSON
 * @param publishers publishers that may publish content
 * @param feedQueries the feeds that are followed, for operators
 * @param feedHistory the history of each feed
 * @param restrictions feeds that are wanted and that the operator has barred
 * @param privateFeeds feeds that are fetched with credentials
 * @param bridges feeds that are followed for readers of their bridged feeds
 * @param pings the sites that pinged lately
 * @param sitePaces the paces that sites permit
 * @param times the stored times of waits
 * @param users users that may save feeds, and their saved feeds
 * @param tokens the tokens of logins
 * @param subscriptionQueries subscriptions and waiting requests with their states, for operators
 * @param endedSubscriptions subscriptions that have ended, for operators
 * @param loginSubscriptions subscriptions by the login that made them
 * @param entries the entries of the log and of feeds, for an index over them
 * @param trackers feeds whose events are made of the entries of other feeds
 * @param lists feeds whose document is a list, and the feeds that are followed for them
 * @param publishedLists lists that the gateway publishes
 * @param ownership the owner of the partitions
 */
public record Store(
    Database database,
    Transitions transitions,
    Feeds feeds,
    UpstreamSubscriptions upstreamSubscriptions,
    Subscriptions subscriptions,
    Denials denials,
    Upstreams upstreams,
    Rounds rounds,
    Laggards laggards,
    Log log,
    Consumers consumers,
    Webhooks webhooks,
    Publishers publishers,
    FeedQueries feedQueries,
    FeedHistory feedHistory,
    Restrictions restrictions,
    PrivateFeeds privateFeeds,
    Bridges bridges,
    Pings pings,
    SitePaces sitePaces,
    StoredTimes times,
    Users users,
    Tokens tokens,
    SubscriptionQueries subscriptionQueries,
    EndedSubscriptions endedSubscriptions,
    LoginSubscriptions loginSubscriptions,
    KeptEntries entries,
    Trackers trackers,
    Lists lists,
    PublishedLists publishedLists,
    Notices notices,
    PodpingPosition podping,
    Ownership ownership) {

  private static final String FEEDS_BY_STATE_AND_WAY =
      """
      SELECT state, way, COUNT(*) AS feeds FROM (
        SELECT f.state AS state, COALESCE(
          (SELECT u.kind FROM following u
           WHERE u.feed_id = f.id AND u.state IN ('ACTIVE', 'RENEWING') ORDER BY u.id LIMIT 1),
          'POLL') AS way
        FROM feed f WHERE f.followed = 1) AS followed
      GROUP BY state, way
      """;

  private static final String OLDEST_UNDELIVERED =
      """
      SELECT MIN(at) AS at FROM (
        SELECT MIN(behind_since) AS at FROM laggard WHERE behind_since IS NOT NULL
        UNION ALL
        SELECT (SELECT MIN(at) FROM event
                WHERE feed_id = feed.id AND seq > feed.rounded
                  AND seq > (SELECT MIN(start) FROM subscription WHERE feed_id = feed.id))
        FROM feed WHERE head > rounded) AS oldest
      """;

  /** Uses the database, which stays its opener's to close. */
  public Store(Database database) {
    this(database, new Transitions());
  }

  private Store(Database database, Transitions transitions) {
    this(database, transitions, new DueHosts(), new PrivateFeeds(database, transitions));
  }

  private Store(
      Database database, Transitions transitions, DueHosts dueHosts, PrivateFeeds privateFeeds) {
    this(
        database,
        transitions,
        new SqlFeeds(database),
        new SqlUpstreamSubscriptions(database),
        new SqlSubscriptions(database, transitions),
        new Denials(database),
        new Upstreams(database),
        new SqlRounds(database, dueHosts, transitions),
        new SqlLaggards(database, dueHosts, transitions),
        // A feed may have become private before its events came.
        new SqlLog(database, database.isOwned() ? () -> {} : privateFeeds::refresh),
        new Consumers(database),
        new Webhooks(database),
        new Publishers(database),
        new FeedQueries(database),
        new FeedHistory(database),
        new Restrictions(database),
        privateFeeds,
        new Bridges(database),
        new Pings(database),
        new SqlSitePaces(database),
        new StoredTimes(database),
        new Users(database),
        new Tokens(database),
        new SubscriptionQueries(database, transitions),
        new EndedSubscriptions(database),
        new LoginSubscriptions(database),
        new KeptEntries(database),
        new Trackers(database),
        new Lists(database),
        new PublishedLists(database),
        new Notices(database),
        new PodpingPosition(database),
        new Ownership(database));
  }

  /** Whether the store takes writes. Never blocks. */
  public StoreHealth health() {
    return database.health();
  }

  /**
   * The gateway's own key, which is made once and stored.
   *
   * @param first makes the key where there is none yet; may block
   */
  public CompletableFuture<byte[]> key(Supplier<byte[]> first) {
    return database.write(
        (handle, effects) -> {
          Optional<byte[]> kept =
              handle
                  .createQuery("SELECT value FROM secret WHERE name = :name")
                  .bind("name", Sealing.GATEWAY)
                  .mapTo(byte[].class)
                  .findOne();
          return kept.map(stored -> Sealing.of(handle).open(stored, Sealing.GATEWAY))
              .orElseGet(() -> keep(handle, first.get()));
        });
  }

  private static byte[] keep(Handle handle, byte[] key) {
    handle
        .createUpdate("INSERT INTO secret (name, value) VALUES (:name, :value)")
        .bind("name", Sealing.GATEWAY)
        .bind("value", Sealing.of(handle).seal(key, Sealing.GATEWAY).bytes())
        .execute();
    return key;
  }

  /**
   * Runs {@code listener} after each commit that may have caused a change of this kind; the
   * listener must return at once.
   */
  public void onChange(Change change, Runnable listener) {
    for (Effect effect : Effect.values()) {
      if (effect.change().filter(change::equals).isPresent()) {
        database.on(effect, listener);
      }
    }
  }

  /**
   * Tells {@code listener} after each commit the active subscriptions that the commit changed or
   * ended. The listener must return at once, and is told before the future of the write completes.
   */
  public void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    database.onSubscriptionsChanged(listener);
  }

  /**
   * Tells {@code listener} each transition of a subscription after the commit that made it; the
   * listener must return at once.
   */
  public void onTransition(Consumer<Transition> listener) {
    transitions.add(listener);
  }

  /** Counts for the operator. Blocks on storage. */
  public Figures figures() {
    return database.readLong(
        handle ->
            new Figures(
                feeds(handle),
                count(handle, "subscription WHERE protocol = '" + Protocol.WEBSUB + "'"),
                count(handle, "subscription WHERE protocol = '" + Protocol.RSSCLOUD + "'"),
                count(handle, "following WHERE state IN ('ACTIVE', 'RENEWING')"),
                count(handle, "laggard l WHERE " + Rows.LAGS),
                handle
                    .createQuery("SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM body")
                    .mapTo(Long.class)
                    .one(),
                count(handle, "shared_entry"),
                handle
                    .createQuery(OLDEST_UNDELIVERED)
                    .map((row, context) -> Rows.instantOrNull(row, "at"))
                    .findOne()
                    .orElse(null)));
  }

  private static Map<Figures.Followed, Long> feeds(Handle handle) {
    Map<Figures.Followed, Long> feeds = new HashMap<>();
    handle
        .createQuery(FEEDS_BY_STATE_AND_WAY)
        .map(
            (row, context) ->
                Map.entry(
                    new Figures.Followed(
                        FeedState.valueOf(row.getString("state")),
                        Figures.Way.valueOf(row.getString("way"))),
                    row.getLong("feeds")))
        .forEach(entry -> feeds.put(entry.getKey(), entry.getValue()));
    return feeds;
  }

  private static long count(Handle handle, String from) {
    return handle.createQuery("SELECT COUNT(*) FROM " + from).mapTo(Long.class).one();
  }
}
