package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.relay.RelayedPings;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/relays}: the servers that are told of changes. */
final class RelaysApi {

  private static final int OK = 200;

  private final RelayedPings relayed;

  RelaysApi(RelayedPings relayed) {
    this.relayed = relayed;
  }

  /**
   * A server as the API shows it.
   *
   * @param feeds the patterns of the feeds that it is told of
   * @param behind events of the log that were not looked at for it yet
   * @param lastAt the time of the newest ping since the start; null for none
   * @param problem of that ping; null where the server took it
   */
  record View(
      String protocol,
      String url,
      List<String> feeds,
      long sent,
      long refused,
      long behind,
      @Nullable Instant lastAt,
      @Nullable String problem) {

    static View of(RelayedPings.Standing one) {
      return new View(
          one.target().protocol().word(),
          one.target().url(),
          List.of(one.target().feeds().toString().split(" ")),
          one.sent(),
          one.refused(),
          one.behind(),
          one.lastAt(),
          one.problem());
    }
  }

  /** {@code GET /relays}. */
  Response list(Request request) {
    return Answers.json(OK, Map.of("items", relayed.standings().stream().map(View::of).toList()));
  }
}
