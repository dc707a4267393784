package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** Which upstream subscriptions brought the entries of outcomes, and which missed them. */
final class Pushes {

  private Pushes() {}

  /**
   * Counts, in the transaction that records new entries, the upstream subscriptions that brought
   * them first. An upstream subscription that misses too many is demoted.
   *
   * @return whether an upstream subscription may have been demoted
   */
  static boolean arrived(Handle handle, List<Step> steps) {
    Map<Long, Step> telling = new HashMap<>();
    for (Step step : steps) {
      boolean pushed = pushedBy(step.outcome().via()) != null;
      if (pushed || (step.outcome().via() == Via.POLL && entries(step.outcome()) > 0)) {
        telling.put(step.outcome().feed().id(), step);
      }
    }
    if (telling.isEmpty()) {
      return false;
    }
    List<UpstreamSubscription> live =
        DamagedRows.list(
            handle
                .createQuery(
                    "SELECT * FROM following WHERE state IN "
                        + Upstreams.LIVE
                        + " AND feed_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))")
                .bind("feeds", Json.text(telling.keySet())),
            "following",
            Rows::following);
    Deliveries deliveries = new Deliveries(handle);
    boolean demoted = false;
    for (UpstreamSubscription following : live) {
      Step step =
          Objects.requireNonNull(telling.get(following.feedId()), "a feed that was asked for");
      Outcome outcome = step.outcome();
      UpstreamSubscription.@Nullable Kind pushedBy = pushedBy(outcome.via());
      if (pushedBy == following.kind()) {
        deliveries.add(following, entries(outcome), outcome.at());
      } else if (pushedBy == null && wasToBePushed(following, step.before().lastFetch())) {
        Upstreams.missed(handle, following, entries(outcome), fresh(outcome), outcome.at());
        demoted = true;
      }
    }
    deliveries.write();
    return demoted;
  }

  private static int entries(Outcome outcome) {
    return outcome.updates().stream().mapToInt(update -> update.feed().entries().size()).sum();
  }

  /** Entries that upstream subscriptions brought, of which many have one endpoint. */
  private static final class Deliveries {
    private final PreparedBatch endpoints;
    private final PreparedBatch trusts;

    Deliveries(Handle handle) {
      endpoints =
          handle.prepareBatch(
              """
              INSERT INTO endpoint (kind, url, first_by_push, since, last_delivery_at)
              VALUES (:kind, :url, :by, :at, :at)
              ON CONFLICT (url, kind) DO UPDATE SET
                first_by_push = endpoint.first_by_push + :by,
                last_delivery_at =
                  MAX(COALESCE(endpoint.last_delivery_at, 0), excluded.last_delivery_at)
              """);
      trusts =
          handle.prepareBatch(
              "UPDATE following SET trust = :trust WHERE id = :id AND state = :state");
    }

    void add(UpstreamSubscription following, int entries, Instant at) {
      endpoints
          .bind("kind", following.kind().name())
          .bind("url", following.endpoint())
          .bind("by", entries)
          .bind("at", at.toEpochMilli())
          .add();
      if (entries > 0 || following.trust().awaits(at)) {
        trusts
            .bind("id", following.id())
            .bind("state", following.state().name())
            .bind("trust", Json.text(following.trust().pushed(entries, at)))
            .add();
      }
    }

    void write() {
      for (PreparedBatch batch : List.of(endpoints, trusts)) {
        if (batch.size() > 0) {
          batch.execute();
        }
      }
    }
  }

  /** How many of the new entries were published so lately that a push may still be on its way. */
  private static int fresh(Outcome outcome) {
    Instant since = outcome.at().minus(Trust.PUSH_TIME);
    return (int)
        outcome.updates().stream()
            .flatMap(update -> update.feed().entries().stream())
            .map(entry -> entry.published() != null ? entry.published() : entry.updated())
            .filter(published -> published != null && published.isAfter(since))
            .count();
  }

  private static UpstreamSubscription.@Nullable Kind pushedBy(Via via) {
    return switch (via) {
      case WEBSUB -> UpstreamSubscription.Kind.WEBSUB;
      case RSSCLOUD -> UpstreamSubscription.Kind.RSSCLOUD;
      case PING, PUBLISH, POLL, TRACK -> null;
    };
  }

  /**
   * Whether pushes were to be expected at the previous fetch, so that all new entries should have
   * been pushed.
   */
  private static boolean wasToBePushed(UpstreamSubscription following, @Nullable Instant last) {
    Instant since = following.trust().liveSince();
    return since != null && last != null && since.isBefore(last);
  }
}
