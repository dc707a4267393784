package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rings of gateways are noticed by the paths of subscriptions. */
class GatewayPathTest {

  private static final String A = "https://a.example";
  private static final String B = "https://b.example";
  private static final String C = "https://c.example";

  private static GatewayPath sent(GatewayPath path) {
    return GatewayPath.read(List.of(path.header()));
  }

  @Test
  void a_path_goes_on_with_those_of_the_subscribers() {
    GatewayPath ofA = sent(GatewayPath.from(A, List.of()));
    GatewayPath ofB = sent(GatewayPath.from(B, List.of(ofA)));
    GatewayPath ofC = sent(GatewayPath.from(C, List.of(ofB)));

    assertThat(ofC.contains(A)).isTrue();
    assertThat(ofB.contains(C)).isFalse();
  }

  @Test
  void a_ring_that_was_made_at_once_is_noticed_when_leases_are_renewed() {
    // Each asked the next one before it knew of its own subscriber.
    GatewayPath atA = GatewayPath.from(C, List.of());

    GatewayPath atB = sent(GatewayPath.from(A, List.of(atA)));
    GatewayPath atC = sent(GatewayPath.from(B, List.of(atB)));

    assertThat(atC.contains(C)).isTrue();
  }

  @Test
  void a_path_is_bounded_and_holds_ids_alone() {
    assertThat(GatewayPath.read(List.of("x, <script>, 0123456789abcdef", "0123456789abcdef")).ids())
        .containsExactly("0123456789abcdef");
    GatewayPath other = GatewayPath.from(A, List.of());
    assertThat(GatewayPath.read(Collections.nCopies(3, other.header())).ids()).hasSize(1);
    assertThat(other.header()).doesNotContain("a.example");
  }
}
