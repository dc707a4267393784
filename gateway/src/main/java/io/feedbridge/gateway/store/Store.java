package io.feedbridge.gateway.store;

/** Everything durable but work. Safe for use by several threads. */
public interface Store {

  /** Feeds: what they are, when they are fetched next, what is known of them. */
  Feeds feeds();

  /** The gateway's own subscriptions at hubs and clouds. */
  Followings followings();

  /** Subscribers and those who wait to become one. */
  Subscriptions subscriptions();

  /** The rounds of the fan-out. */
  Rounds rounds();

  /** The subscribers that rounds pass over. */
  Laggards laggards();

  /**
   * Runs {@code listener} after each commit that may have made such a thing due; it must return at
   * once.
   */
  void onChange(Change change, Runnable listener);

  /** Counts for the operator. Blocks on storage. */
  Figures figures();
}
