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

/** The budget of requests that a third party never asked for. */
class UnaskedRequestsTest {

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

  private Verdict judge(String host, int lastByte, boolean again) {
    return gate.judge(departure(host, lastByte, Asked.BY_A_STRANGER, again));
  }

  private static Departure departure(String host, int lastByte, Asked asked, boolean again) {
    try {
      InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) lastByte});
      return new Departure(Purpose.CALLBACK, "http://" + host + "/", host, address, asked, again);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void each_address_of_a_name_has_a_budget_of_its_own_and_all_names_share_it() {
    int judged = 0;
    for (int host = 0; host < 50; host++) {
      // The first address has no listener; the second is the one of the test.
      assertThat(judge("h" + host, 1 + host % 25, false)).isEqualTo(Verdict.PASS);
      judged += judge("h" + host, 99, true) == Verdict.PASS ? 1 : 0;
    }

    assertThat(judged).isEqualTo(RATE * UnaskedRequests.HOSTS_PER_ADDRESS);
  }

  @Test
  void renewals_go_out_although_strangers_used_up_what_the_host_bears() {
    while (judge("host", 1, false) == Verdict.PASS) {
      // Until no more goes out.
    }

    for (int renewal = 0; renewal < 20 * RATE; renewal++) {
      Departure departure = departure("host", 1, Asked.BY_A_SUBSCRIBER, false);
      assertThat(gate.judge(departure)).isEqualTo(Verdict.PASS);
      gate.wanted(departure);
    }
  }

  @Test
  void renewals_that_nobody_confirms_have_an_end_too() {
    int passed = 0;
    while (gate.judge(departure("host", 1, Asked.BY_A_SUBSCRIBER, false)) == Verdict.PASS) {
      passed++;
    }

    assertThat(passed).isEqualTo(RATE * Budget.MORE_WHERE_WANTED);
  }

  @Test
  void a_request_counts_once_for_its_host_whatever_addresses_it_tries() {
    for (int request = 0; request < RATE; request++) {
      assertThat(judge("host", 1, false)).isEqualTo(Verdict.PASS);
      assertThat(judge("host", 2, true)).isEqualTo(Verdict.PASS);
      assertThat(judge("host", 3, true)).isEqualTo(Verdict.PASS);
    }

    assertThat(judge("host", 1, false)).isEqualTo(Verdict.TOO_OFTEN);
  }
}
