package io.feedbridge.gateway.explain;

import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.upstream.Transport;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Fetches a feed once and tells how it would be followed, and why. */
public final class Explainer {

  private static final String POLL = "poll";

  private final FirstLook look;
  private final Optional<Store> store;
  private final Clock clock;

  /**
   * An explainer.
   *
   * @param store knows the hubs and clouds; empty where no gateway runs
   */
  public Explainer(FirstLook look, Optional<Store> store, Clock clock) {
    this.look = look;
    this.store = store;
    this.clock = clock;
  }

  /**
   * How the feed at a URL would be followed. Blocks.
   *
   * @param url normalised
   */
  public Explanation explain(String url) {
    FirstLook.Finding found = look.at(url);
    List<Explanation.Way> ways = ways(url, found);
    return new Explanation(
        url,
        found.answer().code(),
        found.answer().problem(),
        found.answer().redirects().stream()
            .map(
                hop ->
                    new Explanation.Redirect(
                        hop.status(), hop.from(), hop.location(), hop.permanent()))
            .toList(),
        found.answer().url(),
        found.document().kind().name().toLowerCase(Locale.ROOT),
        found.document().title(),
        found.document().entries(),
        found.document().bytes(),
        found.document().repairs(),
        new Explanation.Validators(
            found.document().validators().etag(), found.document().validators().lastModified()),
        hints(found.asked(), found.answer().retryAfter()),
        found.advertised().self(),
        ways,
        found.answer().problem() == null ? choice(ways, found.nextPoll()) : null,
        Optional.ofNullable(found.document().part()).map(Explanation.Part::of).orElse(null),
        held(url).orElse(null));
  }

  private Optional<HeldBack> held(String topic) {
    return store.flatMap(
        known ->
            known
                .feeds()
                .byTopic(topic)
                .filter(FollowedFeed::followed)
                .flatMap(feed -> known.feeds().heldBack(feed.id()).or(() -> failing(feed))));
  }

  /** After a failure, the gateway's own included, a feed waits longer than usual. */
  private static Optional<HeldBack> failing(FollowedFeed feed) {
    Instant next = feed.nextFetchAt();
    String why = feed.fetched().message();
    return feed.fetched().failures() == 0 || next == null || why == null
        ? Optional.empty()
        : Optional.of(new HeldBack("its last fetch failed: " + why, next));
  }

  private static Explanation.Hints hints(PollPace.Asked asked, @Nullable Duration retryAfter) {
    return new Explanation.Hints(
        seconds(asked.ttl()),
        seconds(asked.fresh()),
        seconds(retryAfter),
        seconds(asked.cycle()),
        asked.base(),
        asked.skipHours(),
        asked.skipDays());
  }

  private static @Nullable Long seconds(@Nullable Duration time) {
    return time == null ? null : time.toSeconds();
  }

  private List<Explanation.Way> ways(String topic, FirstLook.Finding found) {
    if (found.answer().problem() != null) {
      return List.of();
    }
    Instant now = clock.instant();
    List<UpstreamSubscription> refused = refused(topic, found.answer().url());
    List<Explanation.Way> ways = new ArrayList<>();
    NamedHub named = followed(topic, found.answer().url()).map(FollowedFeed::named).orElse(null);
    for (Transport way : Transport.of(found.advertised(), found.answer().url(), named)) {
      Optional<Instant> demoted =
          store.flatMap(known -> known.upstreams().demotedUntil(way.kind(), way.endpoint(), now));
      Optional<UpstreamSubscription> refusal = refused.stream().filter(way::is).findFirst();
      Instant until =
          Stream.of(demoted, refusal.map(UpstreamSubscription::nextActionAt))
              .flatMap(Optional::stream)
              .filter(now::isBefore)
              .max(Comparator.naturalOrder())
              .orElse(null);
      ways.add(
          new Explanation.Way(
              way.kind().name().toLowerCase(Locale.ROOT),
              way.endpoint(),
              way.topic(),
              until,
              refusal
                  .map(UpstreamSubscription::reason)
                  .or(() -> demoted.map(any -> "it fails for too many of its feeds"))
                  .orElse(null)));
    }
    ways.add(new Explanation.Way(POLL, null, found.answer().url(), null, null));
    return ways;
  }

  private Optional<FollowedFeed> followed(String topic, String url) {
    return store.flatMap(
        known -> known.feeds().byTopic(topic).or(() -> known.feeds().byTopic(url)));
  }

  /** The hubs and clouds that have refused the feed, if it is followed. */
  private List<UpstreamSubscription> refused(String topic, String url) {
    return followed(topic, url).stream()
        .flatMap(feed -> store.orElseThrow().upstreamSubscriptions().ofFeed(feed.id()).stream())
        .filter(following -> following.state() == UpstreamSubscription.State.REFUSED)
        .toList();
  }

  private static Explanation.Choice choice(List<Explanation.Way> ways, @Nullable Instant nextPoll) {
    Explanation.Way first =
        ways.stream().filter(way -> way.demotedUntil() == null).findFirst().orElseThrow();
    boolean passedOver = !first.equals(ways.get(0));
    return new Explanation.Choice(
        first.kind(), first.endpoint(), reason(first, passedOver, ways.size()), nextPoll);
  }

  private static String reason(Explanation.Way way, boolean passedOver, int ways) {
    String others = passedOver ? "each better transport is not used after a refusal, and " : "";
    if (way.kind().equals(POLL)) {
      return others + (ways == 1 ? "it names no hub and no cloud" : "nothing else is left");
    }
    if (way.kind().equals(UpstreamSubscription.Kind.RSSCLOUD.name().toLowerCase(Locale.ROOT))) {
      return others + "it names a cloud, which reports changes, and no better hub";
    }
    String endpoint = String.valueOf(way.endpoint());
    if (!Transport.keepsSecrets(endpoint)) {
      return others
          + "a hub reports changes, and this one has no https: no secret is sent to it, and each of"
          + " its deliveries is a ping that the feed is fetched for";
    }
    return others
        + (endpoint.startsWith("https:")
            ? "a hub sends the new entries themselves, signed, and this one over https"
            : "a hub sends the new entries themselves, signed");
  }
}
