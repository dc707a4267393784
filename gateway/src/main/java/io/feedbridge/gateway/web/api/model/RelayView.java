package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.relay.RelayedPings;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server as the API shows it.
 *
 * @param feeds the patterns of the feeds that it is told of
 * @param behind events of the log that were not looked at for it yet
 * @param lastAt the time of the newest ping since the start; null for none
 * @param problem of that ping; null where the server took it
 */
public record RelayView(
    String protocol,
    String url,
    List<String> feeds,
    long sent,
    long refused,
    long behind,
    @Nullable Instant lastAt,
    @Nullable String problem) {

  /** A server where it stands now. */
  public static RelayView of(RelayedPings.Standing one) {
    return new RelayView(
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
