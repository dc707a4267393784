package io.feedbridge.gateway.relay;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.store.GatewayPath;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pings that other gateways passed on, each with the gateways that have had it: a change that makes
 * its way through gateways must not come round. Safe for use by several threads.
 */
public final class PassedPings {

  /** Topics of which a path is remembered. */
  static final int MAX = 10_000;

  /** The longest time from a ping to the change that it tells of. */
  static final Duration KEPT = Duration.ofMinutes(10);

  private final String publicUrl;
  private final ActivityLog activity;
  private final Cache<String, GatewayPath> paths;

  /** None so far. */
  public PassedPings(URI publicUrl, ActivityLog activity, Clock clock) {
    this.activity = activity;
    this.publicUrl = publicUrl.toString();
    paths =
        Caffeine.newBuilder()
            .maximumSize(MAX)
            .expireAfterWrite(KEPT)
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
            .build();
  }

  /**
   * Takes the path of a ping.
   *
   * @param header the values of {@link GatewayPath#HEADER}, which any caller may write
   * @param caller for the log
   * @return whether this gateway passed the ping on itself: it has come round, and tells no news
   */
  public boolean hasComeRound(List<String> header, List<String> topics, String caller) {
    GatewayPath path = GatewayPath.read(header);
    if (path.contains(publicUrl)) {
      topics.forEach(
          topic ->
              activity.note(
                  Activity.Kind.PING,
                  topic,
                  caller,
                  false,
                  "ping: not fetched, since this gateway passed the ping on itself"));
      return true;
    }
    if (path.ids().isEmpty()) {
      // A publisher's own ping: the change that it tells of has been at no gateway.
      paths.invalidateAll(topics);
    } else {
      topics.forEach(topic -> paths.put(topic, path));
    }
    return false;
  }

  /** The gateways that have had the latest ping of a topic. */
  GatewayPath of(String topic) {
    GatewayPath path = paths.getIfPresent(topic);
    return path == null ? GatewayPath.NONE : path;
  }

  /** That path with this gateway before it. */
  GatewayPath onwards(String topic) {
    return GatewayPath.from(publicUrl, List.of(of(topic)));
  }
}
