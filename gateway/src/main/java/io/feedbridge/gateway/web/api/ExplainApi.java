package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.OtherSite;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.util.concurrent.RejectedExecutionException;

/** {@code /api/v1/explain}: how a feed would be followed, and why. */
final class ExplainApi {

  private static final int OK = 200;
  private static final int FORBIDDEN = 403;

  /** Feeds at one host that are explained at once; there are more threads than these. */
  static final int MAX_AT_HOST = 4;

  private final Permits<String, Void> hosts = new Permits<>(Permits.Bounds.perKey(MAX_AT_HOST));
  private final Explainer explainer;
  private final BridgedUrls bridges;

  ExplainApi(Explainer explainer, BridgedUrls bridges) {
    this.explainer = explainer;
    this.bridges = bridges;
  }

  /** {@code GET /explain?url=}. A page of another site must not make the gateway fetch by it. */
  Response explain(Request request) {
    if (OtherSite.caused(request)) {
      return Answers.problem(FORBIDDEN, "a page of another site made this request");
    }
    String url =
        Page.parameter(request, "url")
            .orElseThrow(() -> new BadFieldException("url", "it is missing"));
    String topic = TopicField.of("url", url, bridges);
    String host = WebAddress.hostOf(topic);
    if (!hosts.tryTake(host)) {
      throw new RejectedExecutionException("too many feeds of this host are being explained");
    }
    try {
      return Answers.json(OK, explainer.explain(topic));
    } finally {
      var unused = hosts.giveBack(host);
    }
  }
}
