package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.Figures;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.SitePaces;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Transition;
import io.feedbridge.gateway.store.UpstreamSubscriptions;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.sql.deliveries.DueHosts;
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
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.sql.subscriptions.SqlSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/** The store as SQL, over one database. */
public final class SqlStore implements Store {

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

  private final Database database;
  private final Transitions transitions;
  private final Feeds feeds;
  private final UpstreamSubscriptions upstreamSubscriptions;
  private final Subscriptions subscriptions;
  private final Denials denials;
  private final Upstreams upstreams;
  private final Rounds rounds;
  private final Laggards laggards;
  private final Log log;
  private final Consumers consumers;
  private final Webhooks webhooks;
  private final Publishers publishers;
  private final FeedQueries feedQueries;
  private final FeedHistory feedHistory;
  private final Restrictions restrictions;
  private final PrivateFeeds privateFeeds;
  private final Bridges bridges;
  private final Pings pings;
  private final SitePaces sitePaces;
  private final StoredTimes times;
  private final Users users;
  private final Tokens tokens;
  private final SubscriptionQueries subscriptionQueries;
  private final LoginSubscriptions loginSubscriptions;
  private final KeptEntries entries;
  private final Trackers trackers;
  private final Ownership ownership;

  /** Uses the database, which stays its opener's to close. */
  public SqlStore(Database database) {
    this.database = database;
    feeds = new SqlFeeds(database);
    upstreamSubscriptions = new SqlUpstreamSubscriptions(database);
    transitions = new Transitions();
    subscriptions = new SqlSubscriptions(database, transitions);
    denials = new Denials(database);
    upstreams = new Upstreams(database);
    DueHosts dueHosts = new DueHosts();
    rounds = new SqlRounds(database, dueHosts, transitions);
    laggards = new SqlLaggards(database, dueHosts, transitions);
    log = new SqlLog(database);
    consumers = new Consumers(database);
    webhooks = new Webhooks(database);
    publishers = new Publishers(database);
    feedQueries = new FeedQueries(database);
    feedHistory = new FeedHistory(database);
    restrictions = new Restrictions(database);
    privateFeeds = new PrivateFeeds(database, transitions);
    bridges = new Bridges(database);
    pings = new Pings(database);
    sitePaces = new SqlSitePaces(database);
    times = new StoredTimes(database);
    users = new Users(database);
    tokens = new Tokens(database);
    subscriptionQueries = new SubscriptionQueries(database, transitions);
    loginSubscriptions = new LoginSubscriptions(database);
    entries = new KeptEntries(database);
    trackers = new Trackers(database);
    ownership = new Ownership(database);
  }

  @Override
  public Feeds feeds() {
    return feeds;
  }

  @Override
  public UpstreamSubscriptions upstreamSubscriptions() {
    return upstreamSubscriptions;
  }

  @Override
  public Subscriptions subscriptions() {
    return subscriptions;
  }

  @Override
  public Upstreams upstreams() {
    return upstreams;
  }

  @Override
  public Denials denials() {
    return denials;
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
  public Log log() {
    return log;
  }

  @Override
  public Consumers consumers() {
    return consumers;
  }

  @Override
  public Webhooks webhooks() {
    return webhooks;
  }

  @Override
  public Publishers publishers() {
    return publishers;
  }

  @Override
  public FeedQueries feedQueries() {
    return feedQueries;
  }

  @Override
  public FeedHistory feedHistory() {
    return feedHistory;
  }

  @Override
  public Restrictions restrictions() {
    return restrictions;
  }

  @Override
  public PrivateFeeds privateFeeds() {
    return privateFeeds;
  }

  @Override
  public Bridges bridges() {
    return bridges;
  }

  @Override
  public Pings pings() {
    return pings;
  }

  @Override
  public SitePaces sitePaces() {
    return sitePaces;
  }

  @Override
  public Ownership ownership() {
    return ownership;
  }

  @Override
  public StoredTimes times() {
    return times;
  }

  @Override
  public Users users() {
    return users;
  }

  @Override
  public Tokens tokens() {
    return tokens;
  }

  @Override
  public SubscriptionQueries subscriptionQueries() {
    return subscriptionQueries;
  }

  @Override
  public KeptEntries entries() {
    return entries;
  }

  @Override
  public Trackers trackers() {
    return trackers;
  }

  @Override
  public LoginSubscriptions loginSubscriptions() {
    return loginSubscriptions;
  }

  @Override
  public StoreHealth health() {
    return database.health();
  }

  @Override
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

  /** The database under the store. */
  public Database database() {
    return database;
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
  public void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    database.onSubscriptionsChanged(listener);
  }

  @Override
  public void onTransition(Consumer<Transition> listener) {
    transitions.add(listener);
  }

  @Override
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
