package io.feedbridge.gateway.explain;

import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Pace;
import io.feedbridge.gateway.store.Upstreams;
import io.feedbridge.gateway.upstream.Way;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Fetches a feed once and tells how it would be followed, and why. */
public final class Explainer {

  private static final String POLL = "poll";

  private final FirstLook look;
  private final Optional<Upstreams> upstreams;
  private final Clock clock;

  /**
   * An explainer.
   *
   * @param upstreams what is known of hubs and clouds, where there is a gateway that knows
   */
  public Explainer(FirstLook look, Optional<Upstreams> upstreams, Clock clock) {
    this.look = look;
    this.upstreams = upstreams;
    this.clock = clock;
  }

  /**
   * How the feed at a URL would be followed. Blocks.
   *
   * @param url normalised
   */
  public Explanation explain(String url) {
    FirstLook.Finding found = look.at(url);
    List<Explanation.Way> ways = ways(found);
    return new Explanation(
        url,
        found.code(),
        found.problem(),
        found.redirects().stream()
            .map(
                hop ->
                    new Explanation.Redirect(
                        hop.status(), hop.from(), hop.location(), hop.permanent()))
            .toList(),
        found.url(),
        found.kind().name().toLowerCase(Locale.ROOT),
        found.title(),
        found.entries(),
        found.bytes(),
        found.repairs(),
        new Explanation.Validators(found.validators().etag(), found.validators().lastModified()),
        hints(found.asked(), found.retryAfter()),
        found.advertised().self(),
        ways,
        found.problem() == null ? choice(ways, found.nextPoll()) : null);
  }

  private static Explanation.Hints hints(Pace.Asked asked, @Nullable Duration retryAfter) {
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

  private List<Explanation.Way> ways(FirstLook.Finding found) {
    if (found.problem() != null) {
      return List.of();
    }
    Instant now = clock.instant();
    List<Explanation.Way> ways = new ArrayList<>();
    for (Way way : Way.of(found.advertised(), found.url())) {
      Instant demoted =
          upstreams
              .flatMap(known -> known.demotedUntil(way.kind(), way.endpoint(), now))
              .orElse(null);
      ways.add(
          new Explanation.Way(
              way.kind().name().toLowerCase(Locale.ROOT), way.endpoint(), way.topic(), demoted));
    }
    ways.add(new Explanation.Way(POLL, null, found.url(), null));
    return ways;
  }

  private static Explanation.Choice choice(List<Explanation.Way> ways, @Nullable Instant nextPoll) {
    Explanation.Way first =
        ways.stream().filter(way -> way.demotedUntil() == null).findFirst().orElseThrow();
    boolean passedOver = !first.equals(ways.get(0));
    return new Explanation.Choice(
        first.kind(), first.endpoint(), reason(first, passedOver, ways.size()), nextPoll);
  }

  private static String reason(Explanation.Way way, boolean passedOver, int ways) {
    String others = passedOver ? "what would be better fails for too many of its feeds, and " : "";
    if (way.kind().equals(POLL)) {
      return others + (ways == 1 ? "it names no hub and no cloud" : "nothing else is left");
    }
    if (way.kind().equals(Following.Kind.RSSCLOUD.name().toLowerCase(Locale.ROOT))) {
      return others + "it names a cloud, which is told of changes, and no better hub";
    }
    boolean secure = String.valueOf(way.endpoint()).startsWith("https:");
    return others
        + (secure
            ? "a hub brings new entries themselves, signed, and this one over https"
            : "a hub brings new entries themselves, signed");
  }
}
