package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.relay.RelayedPings;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.RelayView;
import io.feedbridge.gateway.web.common.Answers;
import java.util.Map;

/** {@code /api/v1/relays}: the servers that are told of changes. */
final class RelaysApi {

  private static final int OK = 200;

  private final RelayedPings relayed;

  RelaysApi(RelayedPings relayed) {
    this.relayed = relayed;
  }

  /** {@code GET /relays}. */
  Response list(Request request) {
    return Answers.json(
        OK, Map.of("items", relayed.standings().stream().map(RelayView::of).toList()));
  }
}
