package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.upstream.SitePing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of {@link Pings}. */
public abstract class PingsContract extends StoreContract {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SitePing ping(String site, Instant at) {
    return new SitePing("Site " + site, "http://" + site + ".example/", null, at);
  }

  private SitePing recorded(SitePing ping) {
    done(pings().record(ping));
    return ping;
  }

  private List<SitePing> all() {
    return pings().between(Instant.EPOCH, after(Duration.ofDays(1)));
  }

  @Test
  void pings_are_found_by_their_time_the_newest_first() {
    SitePing first = recorded(ping("first", NOW));
    SitePing second = recorded(ping("second", NOW.plus(MINUTE)));
    SitePing third = recorded(ping("third", NOW.plus(MINUTE.multipliedBy(2))));

    assertThat(all()).containsExactly(third, second, first);
    assertThat(pings().between(NOW, second.at())).containsExactly(second);
    restart();
    assertThat(all()).containsExactly(third, second, first);
    assertThat(pings().count()).isEqualTo(3);
  }

  @Test
  void a_list_has_as_many_of_the_newest_pings_as_its_bytes_hold() {
    String longName = "x".repeat(Pings.MAX_LISTED_BYTES / 3);
    recorded(ping("oldest", NOW));
    recorded(new SitePing(longName, "http://b.example/", null, NOW.plusSeconds(1)));
    recorded(new SitePing(longName, "http://c.example/", null, NOW.plusSeconds(2)));
    recorded(new SitePing(longName, "http://d.example/", null, NOW.plusSeconds(3)));

    assertThat(all())
        .extracting(SitePing::url)
        .containsExactly("http://d.example/", "http://c.example/");
  }

  @Test
  void a_site_stands_once_in_each_hour_as_it_was_last() {
    recorded(ping("a", NOW));
    recorded(
        new SitePing("Renamed", "http://a.example/", "http://a.example/rss", NOW.plus(MINUTE)));
    SitePing later = recorded(ping("a", after(Duration.ofHours(1))));

    assertThat(all())
        .containsExactly(
            later,
            new SitePing("Renamed", "http://a.example/", "http://a.example/rss", NOW.plus(MINUTE)));
    assertThat(pings().count()).isEqualTo(3);
  }

  @Test
  void an_hour_has_room_for_so_many_sites_and_the_rest_is_counted() {
    CompletableFuture<?>[] writes =
        IntStream.range(0, Pings.MAX_PER_HOUR + 1)
            .mapToObj(i -> pings().record(ping("site" + i, NOW)))
            .toArray(CompletableFuture[]::new);
    done(CompletableFuture.allOf(writes));

    assertThat(all()).hasSize(Pings.MAX_PER_HOUR);
    assertThat(pings().count()).isEqualTo(Pings.MAX_PER_HOUR + 1);
    // One that is there is not turned away.
    SitePing again = recorded(ping("site0", NOW.plus(MINUTE)));
    assertThat(all().get(0)).isEqualTo(again);
    recorded(ping("next", after(Duration.ofHours(1))));
    assertThat(all()).hasSize(Pings.MAX_PER_HOUR + 1);
  }

  @Test
  void old_pings_are_forgotten_a_number_at_a_time() {
    recorded(ping("a", NOW));
    recorded(ping("b", NOW.plus(MINUTE)));
    SitePing kept = recorded(ping("c", NOW.plus(MINUTE.multipliedBy(2))));

    assertThat(done(pings().trim(kept.at(), 1))).isEqualTo(1);
    assertThat(done(pings().trim(kept.at(), 10))).isEqualTo(1);
    assertThat(done(pings().trim(kept.at(), 10))).isZero();

    assertThat(all()).containsExactly(kept);
    assertThat(pings().count()).isEqualTo(3);
  }
}
