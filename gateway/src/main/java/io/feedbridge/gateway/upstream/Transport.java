package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.UpstreamSubscription;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A way to follow a feed by push.
 *
 * @param endpoint the hub, or the cloud's registration URL
 * @param topic the URL by which that one is first asked for the feed
 * @param otherTopics the feed's further URLs, by which it is asked where it refuses the first, in
 *     order; empty for hubs, which know a feed by its canonical topic
 */
public record Transport(
    UpstreamSubscription.Kind kind, String endpoint, String topic, List<String> otherTopics) {

  /** Copies the list. */
  public Transport {
    otherTopics = List.copyOf(otherTopics);
  }

  /**
   * The ways that a feed advertises, the best first: hubs before clouds, https before http;
   * otherwise in the order in which they are advertised.
   *
   * @param url where the feed is fetched
   */
  public static List<Transport> of(Advertised advertised, String url) {
    String topic = advertised.self() == null ? url : advertised.self();
    List<Transport> ways = new ArrayList<>();
    advertised.hubs().stream()
        .sorted(Comparator.comparing(hub -> !isSecure(hub)))
        .forEach(
            hub ->
                ways.add(new Transport(UpstreamSubscription.Kind.WEBSUB, hub, topic, List.of())));
    // Most clouds know a feed by the URL it is fetched at. WordPress takes its canonical one alone.
    List<String> others =
        Stream.of(advertised.landed(), advertised.self())
            .filter(Objects::nonNull)
            .filter(name -> !name.equals(url))
            .distinct()
            .toList();
    advertised
        .clouds()
        .forEach(
            cloud ->
                ways.add(
                    new Transport(UpstreamSubscription.Kind.RSSCLOUD, cloud.url(), url, others)));
    return ways;
  }

  private static boolean isSecure(String url) {
    return url.startsWith("https:");
  }

  /** Whether requests to the endpoint and its answers are encrypted. */
  public boolean isSecure() {
    return isSecure(endpoint);
  }

  /** Whether an upstream subscription is at this endpoint, by one of these URLs. */
  public boolean is(UpstreamSubscription following) {
    return following.kind() == kind
        && following.endpoint().equals(endpoint)
        && (following.topic().equals(topic) || otherTopics.contains(following.topic()));
  }
}
