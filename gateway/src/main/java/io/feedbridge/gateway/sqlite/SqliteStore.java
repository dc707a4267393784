package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Bridges;
import io.feedbridge.gateway.store.Catalogue;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.Consumers;
import io.feedbridge.gateway.store.Denials;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.Figures;
import io.feedbridge.gateway.store.Followings;
import io.feedbridge.gateway.store.Holdings;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.Pings;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Publishers;
import io.feedbridge.gateway.store.Restrictions;
import io.feedbridge.gateway.store.Roster;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Tokens;
import io.feedbridge.gateway.store.Transition;
import io.feedbridge.gateway.store.Upstreams;
import io.feedbridge.gateway.store.Users;
import io.feedbridge.gateway.store.Webhooks;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/** The store in one SQLite file. */
public final class SqliteStore implements Store {

  private static final String OLDEST_UNDELIVERED =
      """
      SELECT MIN(at) AS at FROM (
        SELECT MIN(behind_since) AS at FROM laggard WHERE behind_since IS NOT NULL
        UNION ALL
        SELECT (SELECT MIN(at) FROM event
                WHERE feed_id = feed.id AND seq > feed.rounded
                  AND seq > (SELECT MIN(start) FROM subscription WHERE feed_id = feed.id))
        FROM feed WHERE head > rounded)
      """;

  /** The name of the gateway's own key. */
  static final String KEY = "gateway";

  private final SqliteDatabase database;
  private final Transitions transitions;
  private final Feeds feeds;
  private final Followings followings;
  private final Subscriptions subscriptions;
  private final Denials denials;
  private final Upstreams upstreams;
  private final Rounds rounds;
  private final Laggards laggards;
  private final Log log;
  private final Consumers consumers;
  private final Webhooks webhooks;
  private final Publishers publishers;
  private final Catalogue catalogue;
  private final Restrictions restrictions;
  private final Bridges bridges;
  private final Pings pings;
  private final Users users;
  private final Tokens tokens;
  private final Roster roster;
  private final Holdings holdings;

  /** Uses the database, which stays its opener's to close. */
  public SqliteStore(SqliteDatabase database) {
    this.database = database;
    feeds = new SqliteFeeds(database);
    followings = new SqliteFollowings(database);
    transitions = new Transitions();
    subscriptions = new SqliteSubscriptions(database, transitions);
    denials = new SqliteDenials(database);
    upstreams = new SqliteUpstreams(database);
    DueHosts dueHosts = new DueHosts();
    rounds = new SqliteRounds(database, dueHosts, transitions);
    laggards = new SqliteLaggards(database, dueHosts, transitions);
    log = new SqliteLog(database);
    consumers = new SqliteConsumers(database);
    webhooks = new SqliteWebhooks(database);
    publishers = new SqlitePublishers(database);
    catalogue = new SqliteCatalogue(database);
    restrictions = new SqliteRestrictions(database);
    bridges = new SqliteBridges(database);
    pings = new SqlitePings(database);
    users = new SqliteUsers(database);
    tokens = new SqliteTokens(database);
    roster = new SqliteRoster(database, transitions);
    holdings = new SqliteHoldings(database);
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
  public Catalogue catalogue() {
    return catalogue;
  }

  @Override
  public Restrictions restrictions() {
    return restrictions;
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
  public Users users() {
    return users;
  }

  @Override
  public Tokens tokens() {
    return tokens;
  }

  @Override
  public Roster roster() {
    return roster;
  }

  @Override
  public Holdings holdings() {
    return holdings;
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
                  .bind("name", KEY)
                  .mapTo(byte[].class)
                  .findOne();
          return kept.map(stored -> Sealing.of(handle).open(stored, KEY))
              .orElseGet(() -> keep(handle, first.get()));
        });
  }

  private static byte[] keep(Handle handle, byte[] key) {
    handle
        .createUpdate("INSERT INTO secret (name, value) VALUES (:name, :value)")
        .bind("name", KEY)
        .bind("value", Sealing.of(handle).seal(key, KEY))
        .execute();
    return key;
  }

  /** The file under all of it. */
  SqliteDatabase database() {
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
