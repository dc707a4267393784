package io.feedbridge.gateway.face;

import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;

/** {@code /api/v1/explain}: how a feed would be followed, and why. */
final class ExplainApi {

  private static final int OK = 200;

  private final Explainer explainer;

  ExplainApi(Explainer explainer) {
    this.explainer = explainer;
  }

  /** {@code GET /explain?url=}. */
  Response explain(Request request) {
    String url =
        Page.parameter(request, "url")
            .orElseThrow(() -> new BadFieldException("url", "which feed is meant?"));
    try {
      return Answers.json(OK, explainer.explain(TopicUrl.normalize(url)));
    } catch (BadHubRequestException e) {
      throw new BadFieldException("url", e.reason());
    }
  }
}
