package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.hosts.HostPauses;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.SiteAnswer;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/**
 * The pauses that hosts asked for, and the paces that sites permit. Fetches of followed feeds and
 * first looks share them. Safe for use by several threads.
 */
public record Origins(HostPauses pauses, SiteGate sites) {

  /**
   * Origins that are to be left alone for this long at most, and of which nothing is kept.
   *
   * @param longest pause or rest
   */
  public static Origins inMemory(Duration longest, Clock clock) {
    return new Origins(
        new HostPauses(longest, clock),
        new SiteGate(GivenPaces.NONE, SitePaces.NONE, longest, clock));
  }

  /**
   * Whether a request to an origin comes too early, for the pause of its host or its site's pace.
   *
   * @param ask asks its site
   */
  public Optional<SiteGate.Wait> early(
      Origin origin, Function<Origin, Optional<SiteGate.Wait>> ask) {
    return pauses
        .end(origin)
        .map(end -> new SiteGate.Wait(end, HostPauses.REASON))
        .or(() -> ask.apply(origin));
  }

  /**
   * Learns from an answer. A refusal for the rate of requests holds for the site of the server that
   * refused, and any other pause for the host that was asked. Blocks only on storage.
   */
  public void learn(Origin asked, FetchResult result, Instant sentAt) {
    Optional<SiteAnswer> answer = result.siteAnswer();
    Origin last = result.url().map(Origin::of).orElse(asked);
    answer.ifPresent(of -> sites.learn(last, of, sentAt));
    if (answer.filter(SiteAnswer::isRefusal).isEmpty() || !sites.isOneSite(asked, last)) {
      Optional<Duration> pause =
          result instanceof FetchResult.Failed failed ? failed.retryAfter() : Optional.empty();
      pause.ifPresent(time -> pauses.grant(asked, time));
    }
  }
}
