package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.hosts.SiteGate.Wait;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sites at one address that refuse requests. */
class SharedAddressesTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final InetAddress PLATFORM = Networks.address("192.0.2.7").orElseThrow();
  private static final InetAddress ELSEWHERE = Networks.address("198.51.100.1").orElseThrow();
  private static final Origin GOOD = Origin.of("https://good.example/feed");

  private final ManualTimer timer = new ManualTimer(START);
  private final SiteGate gate = new SiteGate(GivenPaces.NONE, SitePaces.NONE, DAY, timer.clock());

  private static Origin blog(int number) {
    return Origin.of("https://www.blog" + number + ".example/feed");
  }

  private static SiteAnswer answer(int code, @Nullable InetAddress from) {
    return new SiteAnswer(code, Optional.empty(), RateLimit.NONE, from);
  }

  /** A fetch that is due. */
  private record Due(Instant at, Origin origin, long feed) {}

  /** Requests that were answered and refused, by origin; each with its time. */
  private final Map<Origin, List<Instant>> fetched = new HashMap<>();

  private final Map<Origin, List<Instant>> refused = new HashMap<>();
  private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparing(Due::at));

  private static void note(Map<Origin, List<Instant>> where, Origin origin, Instant at) {
    where.computeIfAbsent(origin, any -> new ArrayList<>()).add(at);
  }

  private static List<Instant> times(Map<Origin, List<Instant>> requests, Origin origin) {
    return requests.getOrDefault(origin, List.of());
  }

  private static int count(Map<Origin, List<Instant>> requests, Instant since) {
    return (int)
        requests.values().stream().flatMap(List::stream).filter(at -> !at.isBefore(since)).count();
  }

  /** Has each feed fetched when it is told to come, and again a period after that. */
  private void run(Duration time, Duration period, BiFunction<Origin, Instant, SiteAnswer> web) {
    Instant end = timer.now().plus(time);
    while (due.element().at().isBefore(end)) {
      Due next = due.remove();
      timer.advanceTo(next.at());
      Optional<Wait> wait = gate.early(next.origin(), next.feed(), Haste.POLL);
      if (wait.isEmpty()) {
        wait = gate.pass(next.origin(), next.feed(), Haste.POLL);
      }
      if (wait.isPresent()) {
        assertThat(wait.get().at()).isAfter(timer.now());
        due.add(new Due(wait.get().at().plusMillis(next.feed() % 200), next.origin(), next.feed()));
        continue;
      }
      Instant sentAt = timer.now();
      SiteAnswer answer = web.apply(next.origin(), sentAt.plusMillis(next.feed() % 70));
      note(answer.isRefusal() ? refused : fetched, next.origin(), sentAt);
      gate.learn(next.origin(), answer, sentAt);
      due.add(new Due(sentAt.plus(period), next.origin(), next.feed()));
    }
  }

  /** Permits one request in 10 s over all of its domains. */
  private static final class Platform implements BiFunction<Origin, Instant, SiteAnswer> {
    private final @Nullable InetAddress address;
    private Instant last = Instant.MIN;

    Platform(@Nullable InetAddress address) {
      this.address = address;
    }

    @Override
    public SiteAnswer apply(Origin origin, Instant at) {
      if (last.isAfter(at.minusSeconds(10))) {
        return answer(429, address);
      }
      last = at;
      return answer(200, address);
    }
  }

  /** Of 30 domains with three feeds each, for a day. */
  private void run30Domains(Platform platform) {
    for (long feed = 0; feed < 90; feed++) {
      due.add(new Due(START.plusMillis(feed * 997), blog((int) feed / 3), feed));
    }
    run(DAY, Duration.ofMinutes(20), platform);
  }

  @Test
  void domains_of_a_platform_that_counts_requests_by_address_take_turns_and_are_refused_no_more() {
    SharedAddressesTest before = new SharedAddressesTest();
    before.run30Domains(new Platform(null));

    run30Domains(new Platform(PLATFORM));

    Instant learnt = START.plus(Duration.ofHours(2));
    assertThat(count(before.refused, START)).isGreaterThan(300);
    assertThat(count(before.refused, learnt)).isGreaterThan(100);
    assertThat(count(refused, START)).isLessThan(120);
    assertThat(count(refused, learnt)).isLessThan(5);
    assertThat(count(fetched, START)).isGreaterThan(4 * count(before.fetched, START));
    int most = fetched.values().stream().mapToInt(List::size).max().orElseThrow();
    assertThat(fetched).hasSize(30);
    assertThat(fetched.values()).allMatch(times -> times.size() > most * 9 / 10);
  }

  /** Two domains at the platform's address refuse each request, for a minute. */
  private SiteAnswer besideHostile(Origin origin, Instant at) {
    return origin.equals(GOOD)
        ? answer(200, PLATFORM)
        : new SiteAnswer(429, Optional.of(Duration.ofMinutes(1)), RateLimit.NONE, PLATFORM);
  }

  private void addHostile() {
    for (int i = 0; i < 20; i++) {
      due.add(new Due(timer.now().plusMillis(i), blog(i % 2), i));
    }
  }

  @Test
  void a_site_that_was_never_refused_is_not_delayed_by_others_at_its_address() {
    addHostile();
    due.add(new Due(START, GOOD, 100));

    run(DAY, Duration.ofSeconds(10), this::besideHostile);

    assertThat(times(fetched, GOOD)).hasSize((int) DAY.dividedBy(Duration.ofSeconds(10)));
  }

  @Test
  void a_site_that_was_refused_is_delayed_by_others_at_its_address_within_a_bound_alone() {
    gate.learn(GOOD, answer(429, PLATFORM), START);
    timer.advance(Duration.ofSeconds(10));
    addHostile();
    due.add(new Due(timer.now(), GOOD, 100));

    run(Duration.ofHours(6), Duration.ofSeconds(1), this::besideHostile);

    List<Instant> times = times(fetched, GOOD);
    Duration most = LearntPace.START.multipliedBy(SharedAddresses.MOST_SLOWED);
    for (int i = 1; i < times.size(); i++) {
      assertThat(Duration.between(times.get(i - 1), times.get(i)))
          .isLessThanOrEqualTo(most.plusSeconds(1));
    }
    assertThat(times).hasSizeGreaterThan((int) Duration.ofHours(6).dividedBy(most));
    assertThat(times(refused, blog(0))).hasSizeLessThan(60);
  }

  @Test
  void a_site_that_was_refused_for_a_day_no_more_or_answers_from_elsewhere_goes_by_its_own_pace() {
    slowTogether(PLATFORM);
    assertThat(reason(GOOD))
        .isEqualTo(
            "its site permits one request in 10 s and shares the address with 2 sites that refuse"
                + " requests");

    gate.learn(GOOD, answer(200, ELSEWHERE), timer.now());

    assertThat(reason(GOOD)).isEqualTo("its site permits one request in 10 s");
    gate.learn(GOOD, answer(200, PLATFORM), timer.now());
    assertThat(reason(GOOD)).contains("shares");
    timer.advance(DAY);
    assertThat(gate.pass(GOOD, 500, Haste.POLL)).isEmpty();
    assertThat(reason(GOOD)).isEqualTo("its site permits one request in 10 s");
  }

  private void slowTogether(InetAddress address) {
    gate.learn(GOOD, answer(429, address), timer.now());
    for (int i = 0; i < 4; i++) {
      timer.advance(Duration.ofHours(1));
      assertThat(gate.pass(blog(i % 2), i, Haste.POLL)).isEmpty();
      gate.learn(blog(i % 2), answer(429, address), timer.now());
    }
    timer.advance(Duration.ofHours(1));
    assertThat(gate.pass(GOOD, 500, Haste.POLL)).isEmpty();
  }

  private String reason(Origin origin) {
    return gate.early(origin, 501, Haste.POLL).orElseThrow().reason();
  }

  @Test
  void addresses_of_one_ipv6_network_are_one() {
    InetAddress one = Networks.address("2001:db8:1:2::1").orElseThrow();
    InetAddress other = Networks.address("2001:db8:1:2:ffff::9").orElseThrow();

    slowTogether(one);
    gate.learn(GOOD, answer(200, other), timer.now());

    assertThat(reason(GOOD)).contains("2 sites");
  }

  @Test
  void remembered_addresses_are_bounded() {
    SharedAddresses addresses = new SharedAddresses();
    for (int i = 0; i < SharedAddresses.MAX_ADDRESSES + 10; i++) {
      InetAddress from = Networks.address("10.1." + i / 256 + "." + i % 256).orElseThrow();
      addresses.answered(null, answer(429, from), START, START, START);
    }
    assertThat(addresses.size()).isEqualTo(SharedAddresses.MAX_ADDRESSES);
  }
}
