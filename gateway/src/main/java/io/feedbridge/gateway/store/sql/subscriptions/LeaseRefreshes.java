package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The leases that the hub refreshes of itself, for subscribers that never do (rule H19). */
final class LeaseRefreshes {

  /** The hub no longer refreshes a lease with less than this part of it left (one sixteenth). */
  private static final int LAST_PART = 16;

  private LeaseRefreshes() {}

  /** When the hub asks again of itself for the first time; null where subscribers do (rule H19). */
  static @Nullable Instant first(Terms terms, Instant now) {
    return terms.legacy() ? now.plus(terms.lease().multipliedBy(3).dividedBy(4)) : null;
  }

  private static @Nullable Instant next(Lease lease, Instant now) {
    Instant next = now.plus(Duration.between(now, lease.endsAt).dividedBy(2));
    Duration least = lease.terms.lease().dividedBy(LAST_PART);
    return Duration.between(next, lease.endsAt).compareTo(least) < 0 ? null : next;
  }

  private record Lease(
      long id,
      long feedId,
      String topic,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      @Nullable String owner,
      boolean vouched,
      Instant endsAt,
      boolean asks) {}

  private static Lease lease(ResultSet row, Sealing sealing) throws SQLException {
    String topic = row.getString("topic");
    String callback = row.getString("callback");
    return new Lease(
        row.getLong("id"),
        row.getLong("feed_id"),
        topic,
        callback,
        sealing.openTerms(row.getString("terms"), topic, callback),
        sealing.openToken(row.getString("verify_token"), topic, callback),
        row.getString("owner"),
        row.getBoolean("vouched"),
        Rows.instant(row, "lease_ends_at"),
        row.getBoolean("asks"));
  }

  static int refresh(Handle handle, Set<Effect> effects, Instant now, int limit) {
    List<Long> damaged = new ArrayList<>();
    List<Lease> due =
        DamagedRows.list(
            handle
                .createQuery(
                    """
                SELECT s.*, f.topic, EXISTS (SELECT 1 FROM verification v
                  WHERE v.topic = f.topic AND v.callback = s.callback) AS asks,
                  s.owner IS NOT NULL AND (s.owner = '' OR EXISTS (SELECT 1 FROM token t
                    WHERE t.login = s.owner AND instr(' ' || t.rights || ' ', ' subscribe ') > 0))
                    AS vouched
                FROM subscription s JOIN feed f ON f.id = s.feed_id
                WHERE s.refresh_at <= :now ORDER BY s.refresh_at LIMIT :limit
                """)
                .bind("now", now.toEpochMilli())
                .bind("limit", limit),
            "subscription",
            (row, context) -> lease(row, Sealing.of(context)),
            damaged);
    // A damaged subscription ends with its lease.
    damaged.forEach(id -> refreshAt(handle, id, null));
    for (Lease lease : due) {
      if (!lease.asks) {
        SqlRequests.add(
            handle,
            effects,
            Verification.asked(
                lease.feedId,
                lease.topic,
                lease.callback,
                Verification.Mode.SUBSCRIBE,
                lease.terms,
                lease.verifyToken,
                lease.vouched,
                now),
            new Sponsor(lease.owner, lease.vouched, null));
      }
      refreshAt(handle, lease.id, next(lease, now));
    }
    return due.size() + damaged.size();
  }

  private static void refreshAt(Handle handle, long id, @Nullable Instant next) {
    handle
        .createUpdate("UPDATE subscription SET refresh_at = :next WHERE id = :id")
        .bind("next", Rows.millis(next))
        .bind("id", id)
        .execute();
  }

  static Optional<Instant> next(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT refresh_at AS at FROM subscription
            WHERE refresh_at IS NOT NULL ORDER BY refresh_at LIMIT 1
            """)
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }
}
