package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A hub or cloud as the API shows it.
 *
 * @param pausedUntil when a hub that was busy, or failed, is asked again
 * @param protocol the value of {@code protocol} by which a cloud took its last registration
 * @param place the URL behind a cloud's redirects that took it
 */
public record UpstreamView(
    String id,
    String endpoint,
    String kind,
    long feeds,
    long firstByPush,
    long firstByPoll,
    long signatureFailures,
    long verificationFailures,
    @Nullable String lastRefusal,
    @Nullable Instant lastDeliveryAt,
    String state,
    Instant since,
    @Nullable Instant demotedUntil,
    @Nullable Instant pausedUntil,
    @Nullable String protocol,
    @Nullable String place) {

  /** The counts of a hub or cloud, with the state that it has now. */
  public static UpstreamView of(Upstreams.Tally tally, Instant now) {
    Instant until = tally.demotedUntil();
    boolean demoted = until != null && until.isAfter(now);
    return new UpstreamView(
        Long.toString(tally.id()),
        tally.url(),
        Answers.word(tally.kind()),
        tally.feeds(),
        tally.firstByPush(),
        tally.firstByPoll(),
        tally.signatureFailures(),
        tally.verificationFailures(),
        tally.lastRefusal(),
        tally.lastDeliveryAt(),
        demoted ? "demoted" : "trusted",
        until == null || demoted ? tally.since() : until,
        demoted ? until : null,
        tally.pausedUntil(),
        tally.accepted().protocol(),
        tally.accepted().place());
  }
}
