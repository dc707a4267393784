package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.web.api.model.UpstreamView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.Page;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

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

  /** {@code GET /upstreams}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long after = page.position().map(UpstreamsApi::position).orElse(0L);
    Instant now = clock.instant();
    List<Upstreams.Tally> found = store.upstreams().list(after, page.limit() + 1);
    return Answers.json(
        OK,
        page.items(
            found, tally -> UpstreamView.of(tally, now), tally -> Long.toString(tally.id())));
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
