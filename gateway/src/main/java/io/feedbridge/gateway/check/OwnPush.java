package io.feedbridge.gateway.check;

import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.intake.PingOutcomes;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.net.URI;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * The gateway's own hub and cloud, which are pinged within the process: the gateway does not call
 * itself. Safe for use by several threads.
 */
public final class OwnPush {

  private final Intake intake;
  private final PingOutcomes outcomes;
  private final String base;

  /** The hub and cloud of a gateway with this public URL. */
  public OwnPush(Intake intake, PingOutcomes outcomes, URI publicUrl) {
    this.intake = intake;
    this.outcomes = outcomes;
    base = publicUrl + "/";
  }

  /** The URL of the hub. */
  String hub() {
    return base + "hub";
  }

  /** Whether an endpoint is one of the gateway's own. */
  boolean is(String endpoint) {
    return endpoint.startsWith(base);
  }

  /**
   * The result of a ping.
   *
   * @param followed whether the gateway has a subscriber of the feed, so that a ping fetches it
   * @param problem of the fetch; empty if there was none within a few seconds
   */
  record Pinged(boolean followed, String problem) {}

  /** Pings the gateway; completes exceptionally if the ping could not be stored. */
  CompletableFuture<Pinged> ping(String topic, boolean cloud) {
    String normalized;
    try {
      normalized = TopicUrl.normalize(topic);
    } catch (BadHubRequestException e) {
      return CompletableFuture.completedFuture(new Pinged(false, e.reason()));
    }
    Instant before = outcomes.now();
    return intake
        .ping(normalized, cloud ? Via.PING : Via.PUBLISH, "")
        .thenCompose(
            feeds ->
                outcomes
                    .of(feeds, before)
                    .thenApply(
                        known ->
                            new Pinged(
                                !feeds.isEmpty(),
                                known.failures().values().stream().findFirst().orElse(""))));
  }
}
