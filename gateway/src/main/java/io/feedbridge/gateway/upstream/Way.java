package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.Following;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A way to follow a feed by push.
 *
 * @param endpoint the hub, or the cloud's registration URL
 * @param topic the URL by which that one knows the feed
 */
public record Way(Following.Kind kind, String endpoint, String topic) {

  /**
   * The ways that a feed advertises, the best first: hubs before clouds, https before http;
   * otherwise in the order in which they are advertised.
   *
   * @param url where the feed is fetched
   */
  public static List<Way> of(Advertised advertised, String url) {
    String topic = advertised.self() == null ? url : advertised.self();
    List<Way> ways = new ArrayList<>();
    advertised.hubs().stream()
        .sorted(Comparator.comparing(hub -> !isSecure(hub)))
        .forEach(hub -> ways.add(new Way(Following.Kind.WEBSUB, hub, topic)));
    // Clouds know a feed by the URL it is fetched at.
    advertised
        .clouds()
        .forEach(cloud -> ways.add(new Way(Following.Kind.RSSCLOUD, cloud.url(), url)));
    return ways;
  }

  private static boolean isSecure(String url) {
    return url.startsWith("https:");
  }

  /** Whether what is said to the endpoint, and what it says, is nobody else's to read. */
  public boolean isSecure() {
    return isSecure(endpoint);
  }

  boolean is(Following following) {
    return following.kind() == kind
        && following.endpoint().equals(endpoint)
        && following.topic().equals(topic);
  }
}
