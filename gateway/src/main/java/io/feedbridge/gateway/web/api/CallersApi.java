package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.CallerView;
import io.feedbridge.gateway.web.common.Answers;
import java.util.List;

/** The API's part about callers that the limits hold back. */
final class CallersApi {

  private static final int OK = 200;

  private final RefusedCallers held;

  CallersApi(RefusedCallers held) {
    this.held = held;
  }

  /** {@code GET /callers}: the callers that were refused, the last refused first. */
  Response list(Request request) {
    List<CallerView> views = held.latest().stream().map(CallersApi::view).toList();
    return Answers.json(OK, new Callers(views));
  }

  /** The answer. */
  public record Callers(List<CallerView> items) {}

  private static CallerView view(RefusedCallers.Held one) {
    return new CallerView(
        one.caller(),
        Answers.word(one.kind()),
        one.reason(),
        one.refusals(),
        one.last(),
        one.until());
  }
}
