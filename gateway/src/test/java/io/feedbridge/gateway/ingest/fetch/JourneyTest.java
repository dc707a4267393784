package io.feedbridge.gateway.ingest.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.HostPauses;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The requests of a fetch ask and count at the sites to which they are sent. */
class JourneyTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final String SECURE = "https://reddit.com/.rss";
  private static final String FEED = "https://www.reddit.com/.rss";
  private static final Origin REDDIT = Origin.of(FEED);
  private static final Origin OTHER = Origin.of("https://example.org/feed");

  private final ManualTimer timer = new ManualTimer(START);
  private final SiteGate sites =
      new SiteGate(
          GivenPaces.of(List.of("reddit.com=1/60s", "example.com=1/60s")),
          SitePaces.NONE,
          DAY,
          timer.clock());
  private final Origins origins = new Origins(new HostPauses(DAY, timer.clock()), sites);

  private Journey from(Origin origin, long feed) {
    return new Journey(origins, origin, site -> sites.pass(site, feed, Haste.POLL), timer.now());
  }

  private Instant next() {
    return sites.early(REDDIT, 1, Haste.POLL).orElseThrow().at();
  }

  @Test
  void each_request_to_the_site_that_is_asked_goes_at_once_and_counts() {
    assertThat(sites.pass(REDDIT, 7, Haste.POLL)).isEmpty();
    Journey journey = from(Origin.of("http://reddit.com/.rss"), 7);

    assertThat(journey.goesTo(SECURE)).isTrue();
    assertThat(journey.goesTo(FEED)).isTrue();

    assertThat(next()).isEqualTo(START.plusSeconds(180));
  }

  @Test
  void a_request_to_another_site_takes_a_turn_there_and_is_held_back_before() {
    assertThat(from(OTHER, 2).goesTo(FEED)).isTrue();
    Journey second = from(OTHER, 3);

    assertThat(second.goesTo(FEED)).isFalse();

    FetchResult.HeldBack heldBack = (FetchResult.HeldBack) second.heldBack().orElseThrow();
    assertThat(heldBack.to()).isEqualTo(REDDIT);
    assertThat(heldBack.told().reason())
        .isEqualTo("it leads to www.reddit.com, and there: its site permits one request in 60 s");
    assertThat(heldBack.told().at()).isBetween(START.plusSeconds(60), START.plusSeconds(62));
    timer.advanceTo(heldBack.told().at());
    assertThat(from(OTHER, 4).goesTo(FEED)).as("without a turn").isFalse();
    assertThat(from(OTHER, 3).goesTo(FEED)).as("in its turn").isTrue();
  }

  @Test
  void a_host_that_asked_for_a_pause_is_not_asked_by_a_redirect() {
    origins.pauses().grant(REDDIT, Duration.ofMinutes(5));
    Journey journey = from(OTHER, 2);

    assertThat(journey.goesTo(FEED)).isFalse();

    FetchResult.HeldBack heldBack = (FetchResult.HeldBack) journey.heldBack().orElseThrow();
    assertThat(heldBack.early().at()).isEqualTo(START.plusSeconds(300));
    assertThat(heldBack.early().reason()).isEqualTo(HostPauses.REASON);
  }

  @Test
  void paced_sites_that_lead_to_each_other_are_each_asked_once_and_hold_up_nothing() {
    Origin example = Origin.of("https://example.com/feed");
    assertThat(sites.pass(REDDIT, 2, Haste.POLL)).isEmpty();
    assertThat(from(REDDIT, 2).goesTo("https://example.com/feed")).isTrue();

    timer.advanceTo(START.plusSeconds(60));
    assertThat(sites.pass(example, 3, Haste.POLL)).isEmpty();
    Journey round = from(example, 3);
    assertThat(round.goesTo(FEED)).isTrue();
    assertThat(round.goesTo("https://example.com/2")).as("asked before").isTrue();
  }
}
