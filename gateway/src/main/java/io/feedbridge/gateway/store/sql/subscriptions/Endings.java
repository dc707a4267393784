package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import io.feedbridge.gateway.store.sql.feeds.SqlUpstreamSubscriptions;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The ends of subscriptions, and the other changes that an end makes. */
final class Endings {

  /** In the terms of a subscriber that is a gateway. */
  private static final String NAMES_PATH = "\"path\":{";

  private Endings() {}

  /** Ends a subscription; false if there is none of that id. */
  static boolean end(
      Handle handle,
      Set<Effect> effects,
      long id,
      SubscriptionState as,
      String why,
      Instant now,
      Transitions.Told told) {
    Optional<EndedSubscriptions.Row> ended =
        handle
            .createQuery(
                "DELETE FROM subscription WHERE id = :id RETURNING " + EndedSubscriptions.RETURNED)
            .bind("id", id)
            .map((row, context) -> EndedSubscriptions.Row.of(row))
            .findOne();
    ended.ifPresent(
        one -> {
          String topic = Transitions.topic(handle, one.feedId());
          EndedSubscriptions.keep(handle, one, topic, as, why, now);
          told.add(as, topic, one.callback(), why);
          if (one.terms().contains(NAMES_PATH)) {
            pathsChanged(handle, effects, one.feedId());
          }
          FollowedFeeds.unfollowIfUnused(handle, effects, one.feedId());
        });
    return ended.isPresent();
  }

  static Optional<Long> id(
      Handle handle, @Nullable Long feedId, Protocol protocol, String callback) {
    return handle
        .createQuery(
            """
            SELECT id FROM subscription
            WHERE feed_id = :feed AND protocol = :protocol AND callback = :callback
            """)
        .bind("feed", feedId)
        .bind("protocol", protocol.name())
        .bind("callback", callback)
        .mapTo(Long.class)
        .findOne();
  }

  /**
   * Has upstream hubs and clouds told the changed paths: they may be gateways, which must know the
   * gateways behind this one.
   */
  static void pathsChanged(Handle handle, Set<Effect> effects, long feedId) {
    SqlUpstreamSubscriptions.chooseAgain(handle, feedId);
    effects.add(Effect.FOLLOWING);
  }
}
