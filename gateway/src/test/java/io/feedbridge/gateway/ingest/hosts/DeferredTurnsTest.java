package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Turns that are put off, as another site does not take the fetch before. */
class DeferredTurnsTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration PACE = Duration.ofSeconds(60);
  private static final Origin SITE = Origin.of("https://example.com/feed");

  private final ManualTimer timer = new ManualTimer(START);
  private final SiteGate gate =
      new SiteGate(
          GivenPaces.of(List.of("example.com=1/60s")),
          SitePaces.NONE,
          Duration.ofDays(1),
          timer.clock());

  @BeforeEach
  void a_request_is_sent_at_the_start() {
    assertThat(gate.pass(SITE, 100, Haste.POLL)).isEmpty();
  }

  private Instant turn(long feed) {
    return gate.early(SITE, feed, Haste.POLL).orElseThrow().at();
  }

  @Test
  void a_turn_that_is_put_off_does_not_lapse_before_and_goes_then() {
    timer.advanceTo(turn(1));
    Instant later = timer.now().plus(Duration.ofMinutes(40));
    assertThat(gate.defer(SITE, 1, later)).isEqualTo(new SiteGate.Deferred(later, later));

    timer.advanceTo(later.minusSeconds(5));
    assertThat(gate.early(SITE, 2, Haste.POLL)).as("before another turn").isPresent();
    timer.advanceTo(later);

    assertThat(gate.pass(SITE, 1, Haste.POLL)).isEmpty();
  }

  @Test
  void no_turn_is_given_within_the_pace_of_another() {
    List<Instant> turns = new ArrayList<>();
    for (long feed = 1; feed <= 10; feed++) {
      turns.add(turn(feed));
    }
    for (int minutes : List.of(2, 5, 14, 15, 20)) {
      turns.add(gate.defer(SITE, 100 + minutes, START.plus(Duration.ofMinutes(minutes))).at());
    }
    for (long feed = 11; feed <= 20; feed++) {
      turns.add(turn(feed));
    }
    turns.sort(Instant::compareTo);

    assertThat(turns).last().isEqualTo(turn(20));
    for (int i = 1; i < turns.size(); i++) {
      assertThat(Duration.between(turns.get(i - 1), turns.get(i))).isGreaterThanOrEqualTo(PACE);
    }
  }

  @Test
  void others_get_turns_before_one_that_is_put_off() {
    Instant far = START.plus(Duration.ofMinutes(50));
    assertThat(gate.defer(SITE, 1, far).at()).isEqualTo(far);

    assertThat(turn(2)).isEqualTo(START.plus(PACE));
    assertThat(turn(3)).isBefore(START.plus(PACE.multipliedBy(3)));
  }

  @Test
  void a_turn_that_is_due_stays_for_a_fetch_that_comes_soon() {
    Instant first = turn(1);
    Instant second = turn(2);
    timer.advanceTo(first);

    assertThat(gate.defer(SITE, 1, first.plusSeconds(20)).at()).isEqualTo(first.plusSeconds(20));

    timer.advance(Duration.ofSeconds(20));
    assertThat(gate.pass(SITE, 1, Haste.POLL)).isEmpty();
    assertThat(turn(2)).isEqualTo(second);
  }

  @Test
  void a_ping_takes_no_turn_that_is_put_off() {
    Instant later = START.plus(Duration.ofMinutes(5));
    assertThat(gate.defer(SITE, 1, later).at()).isEqualTo(later);
    for (long feed = 2; feed <= 9; feed++) {
      assertThat(turn(feed)).isNotEqualTo(later);
      assertThat(gate.early(SITE, 50 + feed, Haste.PING)).isPresent();
    }

    timer.advanceTo(later);
    assertThat(gate.pass(SITE, 1, Haste.POLL)).isEqualTo(Optional.empty());
  }

  @Test
  void a_site_without_a_pace_gives_no_turns() {
    Origin other = Origin.of("https://example.org/feed");
    Instant later = START.plus(PACE);

    assertThat(gate.defer(other, 1, later)).isEqualTo(new SiteGate.Deferred(later, START));
    assertThat(gate.paced()).isEqualTo(1);
  }
}
