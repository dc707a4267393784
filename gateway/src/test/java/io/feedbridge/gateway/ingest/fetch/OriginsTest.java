package io.feedbridge.gateway.ingest.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.HostPauses;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.RateLimit;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.SitePaces;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The requests of a fetch count at the sites to which they were sent. */
class OriginsTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final String PLAIN = "http://reddit.com/.rss";
  private static final String SECURE = "https://reddit.com/.rss";
  private static final String FEED = "https://www.reddit.com/.rss";
  private static final Origin REDDIT = Origin.of(FEED);

  private final ManualTimer timer = new ManualTimer(START);
  private final SiteGate sites =
      new SiteGate(GivenPaces.of(List.of("reddit.com=1/60s")), SitePaces.NONE, DAY, timer.clock());
  private final Origins origins = new Origins(new HostPauses(DAY, timer.clock()), sites);

  private static FetchResult.NotModified by(
      List<Hop> hops, List<Hop> toPage, boolean isDiscovered) {
    return new FetchResult.NotModified(
        new FetchResult.Way(FEED, hops, toPage, isDiscovered, null, Duration.ZERO, RateLimit.NONE));
  }

  private Instant next() {
    return sites.early(REDDIT, 1, Haste.POLL).orElseThrow().at();
  }

  @Test
  void each_redirect_within_a_site_counts_as_a_request() {
    assertThat(sites.pass(REDDIT, 7, Haste.POLL)).isEmpty();
    List<Hop> hops = List.of(new Hop(301, PLAIN, SECURE), new Hop(301, SECURE, FEED));

    origins.learn(Origin.of(PLAIN), by(hops, List.of(), false), START);

    assertThat(next()).isEqualTo(START.plusSeconds(180));
  }

  @Test
  void a_redirect_from_another_site_counts_as_a_request_and_delays_turns_within_a_bound() {
    String other = "https://example.org/feed";
    FetchResult result = by(List.of(new Hop(302, other, FEED)), List.of(), false);

    origins.learn(Origin.of(other), result, START);
    assertThat(next()).isEqualTo(START.plusSeconds(60));
    origins.learn(Origin.of(other), result, START);
    assertThat(next()).as("a turn moves").isEqualTo(START.plusSeconds(120));

    for (int i = 0; i < 1_000; i++) {
      origins.learn(Origin.of(other), result, START);
    }
    assertThat(next()).isEqualTo(START.plusSeconds(16 * 60));
  }

  @Test
  void a_page_that_leads_to_a_feed_of_its_site_counts_as_a_request() {
    assertThat(sites.pass(REDDIT, 7, Haste.POLL)).isEmpty();

    origins.learn(REDDIT, by(List.of(), List.of(), true), START);

    assertThat(next()).isEqualTo(START.plusSeconds(120));
  }
}
