package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import io.feedbridge.gateway.store.sql.feeds.SqlUpstreamSubscriptions;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The ends of subscriptions, and the other changes that an end makes. */
final class Endings {

  private Endings() {}

  /** Ends a subscription; false if there is none of that id. */
  static boolean end(
      Handle handle,
      Set<Effect> effects,
      long id,
      SubscriptionState as,
      String why,
      Transitions.Told told) {
    record Ended(long feedId, String callback, boolean named) {}
    Optional<Ended> ended =
        handle
            .createQuery(
                """
                DELETE FROM subscription WHERE id = :id
                RETURNING feed_id, callback, instr(terms, '"path":{') > 0 AS named
                """)
            .bind("id", id)
            .map(
                (row, context) ->
                    new Ended(
                        row.getLong("feed_id"), row.getString("callback"), row.getBoolean("named")))
            .findOne();
    ended.ifPresent(
        one -> {
          told.add(handle, as, one.feedId, one.callback, why);
          if (one.named) {
            pathsChanged(handle, effects, one.feedId);
          }
          FollowedFeeds.unfollowIfUnused(handle, effects, one.feedId);
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
