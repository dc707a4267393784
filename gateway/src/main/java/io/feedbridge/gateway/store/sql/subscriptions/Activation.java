package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.feeds.SqlBodies;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Terms;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The step of a request to a subscription.
 *
 * @param owner the login of its sponsor; absent for none
 */
record Activation(
    long feedId,
    Protocol protocol,
    String callback,
    Terms terms,
    @Nullable String verifyToken,
    @Nullable String owner) {

  /**
   * Begins at the feed's newest event (rule L6), or renews with id and start kept (rule L7).
   *
   * @return whether it is a renewal
   */
  boolean activate(Handle handle, Set<Effect> effects, Instant now) {
    if (isClosed(handle, feedId, owner)) {
      throw new StoreException(PrivateFeeds.REFUSED);
    }
    Optional<String> before =
        handle
            .createQuery(
                """
                SELECT terms FROM subscription
                WHERE feed_id = :feed AND protocol = :protocol AND callback = :callback
                """)
            .bind("feed", feedId)
            .bind("protocol", protocol.name())
            .bind("callback", callback)
            .mapTo(String.class)
            .findOne();
    if (!Objects.equals(before.map(SubscriptionReads::path).orElse(null), terms.path())) {
      Endings.pathsChanged(handle, effects, feedId);
    }
    Sealing sealing = Sealing.of(handle);
    String topic = topic(handle, feedId);
    handle
        .createUpdate(
            """
            INSERT INTO subscription
              (feed_id, protocol, callback, terms, raw, start, lease_ends_at, verify_token,
               refresh_at, owner, created_at)
            SELECT id, :protocol, :callback, :terms, :raw, head, :ends, :token, :refresh, :owner,
              :now
            FROM feed WHERE id = :feed
            ON CONFLICT (feed_id, protocol, callback) DO UPDATE SET
              terms = excluded.terms, raw = excluded.raw, lease_ends_at = excluded.lease_ends_at,
              verify_token = excluded.verify_token, refresh_at = excluded.refresh_at,
              owner = COALESCE(excluded.owner, subscription.owner),
              errors = 0, remove_at = NULL
            """)
        .bind("feed", feedId)
        .bind("protocol", protocol.name())
        .bind("callback", callback)
        .bind("terms", sealing.seal(terms, topic, callback).text())
        .bind("raw", terms.format() == Format.RAW)
        .bind("ends", now.plus(terms.lease()).toEpochMilli())
        .bind("token", sealing.sealToken(verifyToken, topic, callback))
        .bind("owner", owner)
        .bind("refresh", Rows.millis(LeaseRefreshes.first(terms, now)))
        .bind("now", now.toEpochMilli())
        .execute();
    if (protocol == Protocol.WEBSUB) {
      SqlDigests.set(handle, feedId, callback, terms.wished().digest(), now);
    }
    if (terms.format() == Format.RAW) {
      SqlBodies.wanted(handle, effects, feedId, now, now);
    }
    return before.isPresent();
  }

  /**
   * Whether a feed is private and takes no subscription of this owner. The request came before it
   * was private then; none that comes later is let in.
   */
  static boolean isClosed(Handle handle, long feedId, @Nullable String owner) {
    return !Sponsor.OPERATOR.equals(owner)
        && handle
            .createQuery("SELECT 1 FROM private_feed WHERE feed_id = :feed")
            .bind("feed", feedId)
            .mapTo(Integer.class)
            .findOne()
            .isPresent();
  }

  static String topic(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT topic FROM feed WHERE id = :id")
        .bind("id", feedId)
        .mapTo(String.class)
        .one();
  }
}
