package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.config.LoopbackName;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.websub.RandomToken;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

  /** A URL without encryption: host, port if one is named, and the rest. */
  private static final Pattern PLAIN =
      Pattern.compile("(?is)http://(\\[[^\\]]*\\]|[^/?#:\\[]*)(:[0-9]*)?((?:[/?#].*)?)");

  /** Copies the list. */
  public Transport {
    otherTopics = List.copyOf(otherTopics);
  }

  /** The ways to a feed, see {@link #of(Advertised, String, NamedHub)}. */
  public static List<Transport> of(FollowedFeed feed) {
    return of(feed.advertised(), feed.url(), feed.named());
  }

  /**
   * The ways to a feed, the best first.
   *
   * @param url where the feed is fetched
   * @param named a hub that goes before all that the feed advertises
   */
  public static List<Transport> of(Advertised advertised, String url, @Nullable NamedHub named) {
    List<Transport> ways = of(advertised, url);
    if (named == null) {
      return ways;
    }
    String topic = named.topic() == null ? url : named.topic();
    Transport first =
        new Transport(UpstreamSubscription.Kind.WEBSUB, named.hub(), topic, List.of());
    return Stream.concat(Stream.of(first), ways.stream()).distinct().toList();
  }

  /**
   * The ways that a feed advertises, the best first: hubs before clouds, https before http;
   * otherwise in the order in which they are advertised. A hub that is advertised by http at the
   * scheme's own port is asked by https first.
   *
   * @param url where the feed is fetched
   */
  public static List<Transport> of(Advertised advertised, String url) {
    String topic = advertised.self() == null ? url : advertised.self();
    List<Transport> ways = new ArrayList<>();
    advertised.hubs().stream()
        .flatMap(hub -> Stream.of(secured(hub), hub))
        .distinct()
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
    return url.regionMatches(true, 0, "https:", 0, "https:".length());
  }

  private static String secured(String hub) {
    Matcher plain = PLAIN.matcher(hub);
    boolean usualPort = plain.matches() && (plain.group(2) == null || plain.group(2).equals(":80"));
    return usualPort ? "https://" + plain.group(1) + plain.group(3) : hub;
  }

  /**
   * Whether requests to an endpoint may hold a secret: they are encrypted, or do not leave this
   * machine.
   */
  public static boolean keepsSecrets(String endpoint) {
    Matcher plain = PLAIN.matcher(endpoint);
    return isSecure(endpoint) || (plain.matches() && LoopbackName.is(plain.group(1)));
  }

  /**
   * A secret for an upstream subscription of this way.
   *
   * @return absent for clouds, which sign nothing, and where others could read it; deliveries
   *     without a signature are light pings
   */
  public @Nullable String newSecret(RandomGenerator random) {
    return kind == UpstreamSubscription.Kind.WEBSUB && keepsSecrets(endpoint)
        ? RandomToken.next(random)
        : null;
  }

  /** A new upstream subscription, which has a callback and a secret of its own (rule S3). */
  UpstreamSubscription begin(long feedId, RandomGenerator random, Instant now) {
    return new UpstreamSubscription(
        0,
        feedId,
        kind,
        endpoint,
        topic,
        RandomToken.next(random),
        newSecret(random),
        UpstreamSubscription.State.REQUESTING,
        null,
        now,
        0,
        null);
  }

  /** Whether an upstream subscription is at this endpoint, by one of these URLs. */
  public boolean is(UpstreamSubscription following) {
    return following.kind() == kind
        && following.endpoint().equals(endpoint)
        && (following.topic().equals(topic) || otherTopics.contains(following.topic()));
  }
}
