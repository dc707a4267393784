package io.feedbridge.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many requests are under way, in all and at each host. */
class UnderWayTest {

  private final UnderWay underWay = new UnderWay(UnderWay.Bounds.of(Permits.Bounds.of(2, 3)));

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

  @Test
  void hosts_that_answered_have_places_of_their_own_and_silent_hosts_have_few() {
    UnderWay some = new UnderWay(new UnderWay.Bounds(Permits.Bounds.of(3, 6), 4, 1));
    some.heard("good", true);
    some.heard("silent", false);
    some.heard("mute", false);

    assertThat(some.begin(1, "silent")).isTrue();
    assertThat(some.begin(2, "silent")).isFalse();
    assertThat(some.begin(2, "mute")).isFalse();
    assertThat(some.fullHosts()).containsExactlyInAnyOrder("silent", "mute");
    assertThat(some.begin(3, "new")).isTrue();
    assertThat(some.begin(4, "new")).isTrue();
    assertThat(some.onlyHosts()).isEmpty();
    assertThat(some.begin(5, "newer")).isTrue();

    assertThat(some.begin(6, "newest")).isFalse();
    assertThat(some.onlyHosts().orElseThrow()).containsOnly("good");
    assertThat(some.begin(7, "good")).isTrue();
    assertThat(some.begin(8, "good")).isTrue();
    assertThat(some.begin(9, "good")).isFalse();
    some.end(3);
    assertThat(some.begin(6, "newest")).isTrue();
  }

  @Test
  void the_hosts_whose_answers_are_remembered_are_bounded() {
    UnderWay none = new UnderWay(new UnderWay.Bounds(Permits.Bounds.of(1, 9), 1, 1));
    for (int i = 0; i <= UnderWay.MAX_REMEMBERED; i++) {
      none.heard("host-" + i, true);
    }
    none.begin(1, "other");
    assertThat(none.onlyHosts().orElseThrow())
        .hasSize(UnderWay.MAX_REMEMBERED)
        .doesNotContain("host-0");
  }
}
