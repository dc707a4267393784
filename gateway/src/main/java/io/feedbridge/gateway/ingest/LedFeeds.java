package io.feedbridge.gateway.ingest;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The feeds that led to a site which did not take their request then. Each asks that site and its
 * own, and waits for a time at which it has its turn at both: a turn at one alone would lapse
 * before the other came. Safe for use by several threads; never blocks.
 */
final class LedFeeds {

  /** Feeds that wait for a site to which they led; further ones ask their own site first again. */
  static final int MAX = 10_000;

  /** How often the turn at one site is put off for the other; a feed asks again in any case. */
  private static final int MOST_ROUNDS = 16;

  private final Origins origins;

  /** The sites to which they led, by feed. */
  private final Cache<Long, Origin> led = Caffeine.newBuilder().maximumSize(MAX).build();

  /** None has led anywhere yet. */
  LedFeeds(Origins origins) {
    this.origins = origins;
  }

  /** Knows from the result of a fetch whether its feed waits for a site to which it led. */
  void answered(long feed, FetchResult result) {
    if (result instanceof FetchResult.HeldBack heldBack) {
      led.put(feed, heldBack.to());
    } else {
      led.invalidate(feed);
    }
  }

  /**
   * Whether a request comes too early for the site of a feed, or for one to which the feed led.
   *
   * @return empty if it may wait for its host
   */
  Optional<SiteGate.Wait> early(Origin origin, long feed, Haste haste) {
    Optional<SiteGate.Wait> own = origins.sites().early(origin, feed, haste);
    Origin to = led.getIfPresent(feed);
    if (to == null) {
      return own;
    }
    Optional<SiteGate.Wait> there =
        origins
            .early(to, site -> origins.sites().early(site, feed, haste))
            .map(wait -> new FetchResult.HeldBack(to, wait).told());
    if (own.isEmpty() && there.isEmpty()) {
      return Optional.empty();
    }
    SiteGate.Wait last =
        Stream.concat(own.stream(), there.stream())
            .max(Comparator.comparing(SiteGate.Wait::at))
            .orElseThrow();
    return Optional.of(new SiteGate.Wait(atBoth(origin, to, feed, last.at()), last.reason()));
  }

  /** Puts off the turn at the one site until that at the other; when the feed is to ask again. */
  private Instant atBoth(Origin origin, Origin to, long feed, Instant earliest) {
    SiteGate sites = origins.sites();
    SiteGate.Deferred own = sites.defer(origin, feed, earliest);
    SiteGate.Deferred there = sites.defer(to, feed, own.at());
    for (int round = 1; round < MOST_ROUNDS && there.at().isAfter(own.at()); round++) {
      own = sites.defer(origin, feed, there.at());
      there = sites.defer(to, feed, own.at());
    }
    return Stream.of(earliest, own.told(), there.told())
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }
}
