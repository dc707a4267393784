package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** The API's part about callers that the limits hold back. */
final class CallersApi {

  private static final int OK = 200;

  private final RefusedCallers held;

  CallersApi(RefusedCallers held) {
    this.held = held;
  }

  /**
   * A caller that was refused.
   *
   * @param limit which one, as in the meter's label
   */
  record View(
      String caller,
      String limit,
      String reason,
      long refusals,
      Instant lastRefusedAt,
      Instant until) {}

  /** {@code GET /callers}: the callers that were refused, the last refused first. */
  Response list(Request request) {
    List<View> views = held.latest().stream().map(CallersApi::view).toList();
    return Answers.json(OK, new Callers(views));
  }

  /** The answer. */
  public record Callers(List<View> items) {}

  private static View view(RefusedCallers.Held one) {
    return new View(
        one.caller(),
        one.kind().name().toLowerCase(Locale.ROOT),
        one.reason(),
        one.refusals(),
        one.last(),
        one.until());
  }
}
