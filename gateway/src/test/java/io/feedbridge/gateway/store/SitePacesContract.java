package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.SitePace;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The contract of {@link SitePaces}. */
public abstract class SitePacesContract extends StoreContract {

  private static SitePace pace(String site, int seconds, Instant learntAt) {
    return new SitePace(
        site,
        Duration.ofSeconds(seconds),
        Duration.ofSeconds(seconds).dividedBy(2),
        learntAt.minusSeconds(3),
        learntAt.plusSeconds(90),
        learntAt);
  }

  @Test
  void paces_are_found_after_a_restart_the_newest_first() {
    SitePace first = pace("first.example", 30, NOW);
    SitePace second = pace("127.0.0.1:8080", 60, NOW.plusSeconds(1));
    done(store().sitePaces().keep(first));
    done(store().sitePaces().keep(second));
    restart();

    assertThat(store().sitePaces().newest(10)).containsExactly(second, first);
    assertThat(store().sitePaces().newest(1)).containsExactly(second);
  }

  @Test
  void a_site_has_one_pace_which_is_forgotten_alone() {
    done(store().sitePaces().keep(pace("a.example", 30, NOW)));
    done(store().sitePaces().keep(pace("a.example", 40, NOW.plusSeconds(9))));
    done(store().sitePaces().keep(pace("b.example", 50, NOW)));
    assertThat(store().sitePaces().newest(10)).hasSize(2);

    done(store().sitePaces().forget("b.example"));

    assertThat(store().sitePaces().newest(10))
        .containsExactly(pace("a.example", 40, NOW.plusSeconds(9)));
  }

  @Test
  void of_many_paces_the_newest_are_kept() {
    done(store().sitePaces().keep(pace("old.example", 30, NOW)));
    done(store().sitePaces().keep(pace("b.example", 30, NOW.plusSeconds(1))));
    done(store().sitePaces().keep(pace("a.example", 30, NOW.plusSeconds(1))));

    done(store().sitePaces().keepNewest(2));

    assertThat(store().sitePaces().newest(10))
        .extracting(SitePace::site)
        .containsExactly("a.example", "b.example");
  }
}
