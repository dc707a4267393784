package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.Figures;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.SitePaces;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Transition;
import io.feedbridge.gateway.store.UpstreamSubscriptions;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.sql.feeds.Bridges;
import io.feedbridge.gateway.store.sql.feeds.Denials;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.sql.feeds.Publishers;
import io.feedbridge.gateway.store.sql.feeds.Restrictions;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Everything durable but work. Safe for use by several threads. */
public interface Store {

  /** Feeds: their kind, their next fetch, and their stored entries. */
  Feeds feeds();

  /** The gateway's own subscriptions at hubs and clouds. */
  UpstreamSubscriptions upstreamSubscriptions();

  /** Subscriptions, and requests that wait for verification. */
  Subscriptions subscriptions();

  /** Hubs and clouds, and their records of success. */
  Upstreams upstreams();

  /** Subscribers that are still to be told that a feed is gone. */
  Denials denials();

  /** The rounds of the fan-out. */
  Rounds rounds();

  /** The subscribers that rounds pass over. */
  Laggards laggards();

  /** The event log as a whole. */
  Log log();

  /** Consumers of the whole log. */
  Consumers consumers();

  /** Endpoints that are sent JSON. */
  Webhooks webhooks();

  /** Publishers that may publish content. */
  Publishers publishers();

  /** The feeds that are followed, for operators. */
  FeedQueries feedQueries();

  /** The history of each feed. */
  FeedHistory feedHistory();

  /** Feeds that are wanted and that the operator has barred. */
  Restrictions restrictions();

  /** Feeds that are fetched with credentials. */
  PrivateFeeds privateFeeds();

  /** Feeds that are followed for readers of their bridged feeds. */
  Bridges bridges();

  /** The sites that pinged lately. */
  Pings pings();

  /** The paces that sites permit. */
  SitePaces sitePaces();

  /** The owner of the partitions. */
  Ownership ownership();

  /** The stored times of waits. */
  StoredTimes times();

  /** Users that may save feeds, and their saved feeds. */
  Users users();

  /** The tokens of logins. */
  Tokens tokens();

  /** Subscriptions and waiting requests with their states, for operators. */
  SubscriptionQueries subscriptionQueries();

  /** The entries of the log and of feeds, for an index over them. */
  KeptEntries entries();

  /** Feeds whose events are made of the entries of other feeds. */
  Trackers trackers();

  /** Subscriptions by the login that made them. */
  LoginSubscriptions loginSubscriptions();

  /**
   * Runs {@code listener} after each commit that may have caused a change of this kind; the
   * listener must return at once.
   */
  void onChange(Change change, Runnable listener);

  /**
   * Tells {@code listener} after each commit the active subscriptions that the commit changed or
   * ended. The listener must return at once, and is told before the future of the write completes.
   */
  void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener);

  /**
   * Tells {@code listener} each transition of a subscription after the commit that made it; the
   * listener must return at once.
   */
  void onTransition(Consumer<Transition> listener);

  /** Whether the store takes writes. Never blocks. */
  StoreHealth health();

  /**
   * The gateway's own key, which is made once and stored.
   *
   * @param first makes the key where there is none yet; may block
   */
  CompletableFuture<byte[]> key(Supplier<byte[]> first);

  /** Counts for the operator. Blocks on storage. */
  Figures figures();
}
