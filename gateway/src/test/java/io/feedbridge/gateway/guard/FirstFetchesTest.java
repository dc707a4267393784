package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.Gate.Asked;
import io.feedbridge.gateway.client.Gate.Departure;
import io.feedbridge.gateway.client.Gate.Verdict;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Purpose;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The budget of first fetches that find no feed. */
class FirstFetchesTest {

  private static final int RATE = 10;

  private final UnaskedRequests gate =
      new UnaskedRequests(
          Policies.of(
              UrlPatterns.ALL,
              UrlPatterns.ALL,
              AddressPolicy.allowing(List.of(), List.of()),
              URI.create("http://gateway.example"),
              TrackerPolicy.OPEN),
          new Rate(RATE, Duration.ofHours(1)),
          Clock.systemUTC());

  private final FirstFetches first = gate.firstFetches();

  private Verdict send(String host, int lastByte, Purpose purpose) {
    try {
      InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) lastByte});
      return gate.judge(
          new Departure(
              purpose, "http://" + host + "/", host, address, Asked.BY_A_STRANGER, false));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private int passed(String host, int lastByte, int tries) {
    int passed = 0;
    for (int i = 0; i < tries; i++) {
      passed += send(host, lastByte, Purpose.FETCH) == Verdict.PASS ? 1 : 0;
    }
    return passed;
  }

  @Test
  void a_host_has_few_first_fetches_that_find_no_feed_whatever_its_ports_and_says_so() {
    assertThat(first.wait("http://victim.example/")).isEmpty();

    assertThat(passed("victim.example", 1, 100)).isEqualTo(RATE);

    assertThat(first.wait("http://victim.example:8080/other")).isPresent();
    assertThat(first.refusal("https://victim.example/x").orElseThrow().reason())
        .contains("victim.example")
        .contains("found no feed")
        .contains("--limit-unasked")
        .contains("try again in");
    assertThat(first.wait("http://other.example/")).isEmpty();
  }

  @Test
  void names_that_share_an_address_share_a_budget_too() {
    int passed = 0;
    for (int name = 0; name < 100; name++) {
      passed += passed("n" + name + ".victim.example", 1, 1);
    }

    assertThat(passed).isEqualTo(RATE * UnaskedRequests.HOSTS_PER_ADDRESS);
    assertThat(first.wait("http://n99.victim.example/")).isPresent();
  }

  @Test
  void first_fetches_that_find_feeds_do_not_count() {
    for (int feed = 0; feed < 50 * RATE; feed++) {
      assertThat(send("platform.example", 1, Purpose.FETCH)).isEqualTo(Verdict.PASS);
      first.found("http://platform.example/" + feed);
    }
  }

  @Test
  void a_host_that_serves_feeds_bears_more_mistakes() {
    assertThat(passed("platform.example", 1, RATE + 1)).isEqualTo(RATE);

    first.serves("http://platform.example/feed");

    assertThat(first.wait("http://platform.example/")).isEmpty();
    assertThat(passed("platform.example", 1, 1_000)).isEqualTo(RATE * Budget.MORE_WHERE_WANTED);
  }

  private final Limiter limiter =
      new Limiter(
          new Limits(
              Rate.NONE,
              Rate.NONE,
              Rate.NONE,
              Rate.NONE,
              Rate.NONE,
              new Rate(RATE, Duration.ofHours(1)),
              Rate.NONE,
              List.of()),
          gate,
          new RefusedCallers(kind -> {}, Clock.systemUTC()),
          Clock.systemUTC());

  /** Topics of a host that callers have followed, and that are fetched then. */
  private int asked(String caller, int tries) {
    int asked = 0;
    for (int i = 0; i < tries; i++) {
      String topic = "http://shared.example/" + caller + i;
      if (limiter.feeds(caller, List.of(topic)).isEmpty()) {
        asked += passed("shared.example", 1, 1);
      }
    }
    return asked;
  }

  @Test
  void one_caller_leaves_half_of_the_first_fetches_at_a_host_to_others_and_is_told_why() {
    assertThat(asked("192.0.2.1", 100)).isEqualTo(RATE / 2);
    assertThat(
            limiter
                .feeds("192.0.2.1", List.of("http://shared.example/more"))
                .orElseThrow()
                .reason())
        .contains("first fetches of one caller at shared.example")
        .contains("--limit-unasked");

    assertThat(asked("192.0.2.2", 100)).isEqualTo(RATE / 2);
    assertThat(first.wait("http://shared.example/")).isPresent();
  }

  @Test
  void a_caller_whose_first_fetches_find_feeds_has_its_share_back() {
    for (int feed = 0; feed < 50 * RATE; feed++) {
      String topic = "http://platform.example/" + feed;
      assertThat(limiter.feeds("192.0.2.1", List.of(topic))).isEmpty();
      assertThat(send("platform.example", 1, Purpose.FETCH)).isEqualTo(Verdict.PASS);
      first.found(topic);
    }
  }

  @Test
  void a_caller_has_more_first_fetches_at_a_host_that_serves_feeds() {
    assertThat(passed("shared.example", 1, 1)).isOne();
    first.serves("http://shared.example/feed");

    assertThat(asked("192.0.2.1", 1_000)).isEqualTo(RATE / 2 * Budget.MORE_WHERE_WANTED);
  }

  @Test
  void first_fetches_and_requests_to_callbacks_have_budgets_of_their_own() {
    for (Purpose purpose : List.of(Purpose.FETCH, Purpose.CALLBACK)) {
      int passed = 0;
      for (int i = 0; i < 2 * RATE; i++) {
        passed += send("host.example", 1, purpose) == Verdict.PASS ? 1 : 0;
      }
      assertThat(passed).as(purpose.name()).isEqualTo(RATE);
    }
  }
}
