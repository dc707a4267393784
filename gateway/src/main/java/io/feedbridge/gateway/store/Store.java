package io.feedbridge.gateway.store;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Everything durable but work. Safe for use by several threads. */
public interface Store {

  /** Feeds: what they are, when they are fetched next, what is known of them. */
  Feeds feeds();

  /** The gateway's own subscriptions at hubs and clouds. */
  Followings followings();

  /** Subscribers and those who wait to become one. */
  Subscriptions subscriptions();

  /** Hubs and clouds, and what came of them. */
  Upstreams upstreams();

  /** Who is still to be told that a feed is gone. */
  Denials denials();

  /** The rounds of the fan-out. */
  Rounds rounds();

  /** The subscribers that rounds pass over. */
  Laggards laggards();

  /** The event log as a whole. */
  Log log();

  /** Those who read the whole log. */
  Consumers consumers();

  /** Endpoints that are sent JSON. */
  Webhooks webhooks();

  /** Those who may publish content. */
  Publishers publishers();

  /** The feeds that are followed, for operators. */
  Catalogue catalogue();

  /** Feeds that are wanted and that the operator does not have followed. */
  Restrictions restrictions();

  /** Feeds that are followed for readers of bridged ones. */
  Bridges bridges();

  /** The sites that pinged lately. */
  Pings pings();

  /** Who may save feeds, and what they saved. */
  Users users();

  /** The tokens of logins. */
  Tokens tokens();

  /** Who is subscribed and how each is doing, for operators. */
  Roster roster();

  /** Subscriptions by the login that they were made with. */
  Holdings holdings();

  /**
   * Runs {@code listener} after each commit that may have made such a thing due; it must return at
   * once.
   */
  void onChange(Change change, Runnable listener);

  /**
   * Tells {@code listener} after each commit which active subscriptions are not what was read of
   * them before; it must return at once. Whoever waits for the write hears of it later.
   */
  void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener);

  /**
   * Tells {@code listener} of each step of each subscription after the commit that made it; it must
   * return at once.
   */
  void onTransition(Consumer<Transition> listener);

  /** Whether it takes writes. Never blocks. */
  StoreHealth health();

  /**
   * The gateway's own key, which is made once and kept with everything else.
   *
   * @param first makes it, where there is none yet; may block
   */
  CompletableFuture<byte[]> key(Supplier<byte[]> first);

  /** Counts for the operator. Blocks on storage. */
  Figures figures();
}
