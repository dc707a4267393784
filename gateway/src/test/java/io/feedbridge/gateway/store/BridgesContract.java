package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.feeds.Bridges;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of {@link Bridges}. */
public abstract class BridgesContract extends StoreContract {

  private static final String ONE = "https://one.example/";
  private static final String TWO = "https://two.example/";
  private static final int MANY = 100;

  private Bridges bridges() {
    return store().bridges();
  }

  private boolean followed(String topic) {
    return store().feeds().byTopic(topic).orElseThrow().followed();
  }

  @Test
  void a_feed_that_is_read_is_followed_and_stays_so_over_a_restart() {
    done(bridges().read(ONE, NOW));

    restart();
    done(store().feeds().unfollowUnused());

    assertThat(followed(ONE)).isTrue();
    assertThat(bridges().count()).isEqualTo(1);
  }

  @Test
  void one_that_nobody_has_read_for_long_is_let_go() {
    done(bridges().read(ONE, NOW));
    done(bridges().read(TWO, NOW.plusSeconds(1)));

    assertThat(done(bridges().expire(NOW.plusSeconds(1), MANY))).isEqualTo(1);

    assertThat(followed(ONE)).isFalse();
    assertThat(followed(TWO)).isTrue();
    assertThat(bridges().count()).isEqualTo(1);
    assertThat(done(bridges().expire(NOW.plusSeconds(1), MANY))).isZero();
  }

  @Test
  void to_be_read_anew_counts() {
    done(bridges().read(ONE, NOW));
    done(bridges().read(ONE, NOW.plus(Duration.ofDays(1))));

    assertThat(done(bridges().expire(NOW.plusSeconds(1), MANY))).isZero();
    assertThat(bridges().count()).isEqualTo(1);
  }

  @Test
  void one_that_is_wanted_for_another_reason_is_not_let_go() {
    done(bridges().read(ONE, NOW));
    done(store().feeds().keep(List.of(ONE), NOW));

    assertThat(done(bridges().expire(NOW.plusSeconds(1), MANY))).isEqualTo(1);

    assertThat(followed(ONE)).isTrue();
    assertThat(bridges().count()).isZero();
  }

  @Test
  void one_that_is_forgotten_is_let_go_unless_it_is_wanted_for_another_reason() {
    FollowedFeed one = done(bridges().read(ONE, NOW));
    FollowedFeed two = done(bridges().read(TWO, NOW));
    done(store().feeds().keep(List.of(TWO), NOW));

    done(bridges().forget(one.id(), NOW));
    done(bridges().forget(two.id(), NOW));

    assertThat(followed(ONE)).isFalse();
    assertThat(followed(TWO)).isTrue();
    assertThat(bridges().count()).isZero();
  }

  @Test
  void so_many_are_let_go_at_once_the_longest_unread_first() {
    done(bridges().read(TWO, NOW.plusSeconds(1)));
    done(bridges().read(ONE, NOW));

    assertThat(done(bridges().expire(NOW.plusSeconds(5), 1))).isEqualTo(1);

    assertThat(followed(ONE)).isFalse();
    assertThat(followed(TWO)).isTrue();
  }
}
