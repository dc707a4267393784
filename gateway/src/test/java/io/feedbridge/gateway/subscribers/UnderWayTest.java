package io.feedbridge.gateway.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many verifications are under way, in all and at each host. */
class UnderWayTest {

  private final UnderWay underWay = new UnderWay(3, 2);

  @Test
  void one_begins_once() {
    assertThat(underWay.begin(1, "a")).isTrue();
    assertThat(underWay.begin(1, "a")).isFalse();
    assertThat(underWay.size()).isEqualTo(1);
  }

  @Test
  void a_host_is_full_before_all_are() {
    underWay.begin(1, "a");
    underWay.begin(2, "a");

    assertThat(underWay.fullHosts()).containsExactly("a");
    assertThat(underWay.begin(3, "a")).isFalse();
    assertThat(underWay.begin(3, "b")).isTrue();
    assertThat(underWay.begin(4, "c")).isFalse();
    underWay.end(2);
    assertThat(underWay.fullHosts()).isEmpty();
    assertThat(underWay.begin(4, "c")).isTrue();
  }

  @Test
  void one_that_ended_after_the_look_that_found_it_does_not_begin_again() {
    underWay.look();
    underWay.begin(1, "a");
    underWay.look();
    underWay.end(1);

    assertThat(underWay.begin(1, "a")).isFalse();
    underWay.look();
    assertThat(underWay.begin(1, "a")).isTrue();
  }
}
