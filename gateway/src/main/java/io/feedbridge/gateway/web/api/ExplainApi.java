package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;

/** {@code /api/v1/explain}: how a feed would be followed, and why. */
final class ExplainApi {

  private static final int OK = 200;

  private final Explainer explainer;
  private final BridgedUrls bridges;

  ExplainApi(Explainer explainer, BridgedUrls bridges) {
    this.explainer = explainer;
    this.bridges = bridges;
  }

  /** {@code GET /explain?url=}. */
  Response explain(Request request) {
    String url =
        Page.parameter(request, "url")
            .orElseThrow(() -> new BadFieldException("url", "it is missing"));
    return Answers.json(OK, explainer.explain(TopicField.of("url", url, bridges)));
  }
}
