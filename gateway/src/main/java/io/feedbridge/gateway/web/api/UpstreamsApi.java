package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.Page;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/v1/upstreams}: the hubs and clouds that feeds are followed by, with the counts and
 * last failures of each.
 */
final class UpstreamsApi {

  private static final int OK = 200;
  private static final int MAX_DIGITS = 18;

  private final Store store;
  private final Clock clock;

  UpstreamsApi(Store store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * A hub or cloud as the API shows it.
   *
   * @param pausedUntil when a hub that was busy, or failed, is asked again
   * @param protocol the value of {@code protocol} by which a cloud took its last registration
   * @param place the URL behind a cloud's redirects that took it
   */
  record View(
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

    static View of(Upstreams.Tally tally, Instant now) {
      Instant until = tally.demotedUntil();
      boolean demoted = until != null && until.isAfter(now);
      return new View(
          Long.toString(tally.id()),
          tally.url(),
          tally.kind().name().toLowerCase(Locale.ROOT),
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

  /** {@code GET /upstreams}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long after = page.position().map(UpstreamsApi::position).orElse(0L);
    Instant now = clock.instant();
    List<Upstreams.Tally> found = store.upstreams().list(after, page.limit() + 1);
    return Answers.json(
        OK, page.items(found, tally -> View.of(tally, now), tally -> Long.toString(tally.id())));
  }

  private static long position(String text) {
    if (text.isEmpty()
        || text.length() > MAX_DIGITS
        || !text.chars().allMatch(Character::isDigit)) {
      throw Page.badCursor();
    }
    return Long.parseLong(text);
  }
}
