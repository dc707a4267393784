package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract of {@link Rounds} for hosts that a round passes over (rules L3, L4). */
public abstract class PassedOverContract extends StoreContract {

  private static final String DEAD = "dead.example:8443";

  private FollowedFeed feed;

  @BeforeEach
  void follow() {
    feed = feed("feed");
  }

  private Subscription dead(String path) {
    return subscribe(feed, "https://" + DEAD + "/" + path);
  }

  private List<Subscription> register(int count) {
    List<Subscription> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String callback = "https://" + DEAD + "/" + i;
      all.add(done(subscriptions().register(feed.id(), callback, TERMS, NOW)));
    }
    return all;
  }

  private Subscription well(String path) {
    return subscribe(feed, "https://well.example/" + path);
  }

  private int passOver(Round round, long afterId, long upToId) {
    Round walked = round.at(upToId, Map.of(DEAD, afterId));
    return done(rounds().passOver(walked, 0, false, NOW)).count();
  }

  @Nested
  class Recipients {

    @Test
    void L3_who_is_at_a_host_that_is_passed_over_is_not_read() {
      dead("one");
      Subscription two = well("two");
      dead("three");
      Subscription four = well("four");
      append(feed, 1);

      Rounds.Stretch stretch = rounds().recipients(feed.id(), 0, Set.of(DEAD), 10);

      assertThat(stretch.recipients()).containsExactly(two.id(), four.id());
    }

    @Test
    void L4_a_stretch_ends_where_the_last_one_was_looked_at() {
      Subscription one = well("one");
      Subscription two = dead("two");

      assertThat(rounds().recipients(feed.id(), 0, Set.of(DEAD), 10).upTo()).isEqualTo(two.id());
      assertThat(rounds().recipients(feed.id(), 0, Set.of(DEAD), 1).upTo()).isEqualTo(one.id());
    }

    @Test
    void behind_the_last_one_is_a_stretch_that_does_not_move() {
      Subscription last = dead("one");

      assertThat(rounds().recipients(feed.id(), last.id(), Set.of(DEAD), 10))
          .isEqualTo(new Rounds.Stretch(List.of(), last.id()));
    }

    @Test
    void no_stretch_is_longer_than_its_bound_however_many_are_passed_over() {
      List<Subscription> all = register(Rounds.STRETCH + 1);

      Rounds.Stretch first = rounds().recipients(feed.id(), 0, Set.of(DEAD), 10);
      Rounds.Stretch second = rounds().recipients(feed.id(), first.upTo(), Set.of(DEAD), 10);

      assertThat(first.recipients()).isEmpty();
      assertThat(first.upTo()).isEqualTo(all.get(Rounds.STRETCH - 1).id());
      assertThat(second.upTo()).isEqualTo(all.get(Rounds.STRETCH).id());
    }

    @ParameterizedTest
    @CsvSource({
      "https://one.example/path, one.example",
      "https://one.example, one.example",
      "https://One.EXAMPLE:8443/Path?x=1, one.example:8443",
      "https://one.example?to=https://two.example/, one.example",
      "https://one.example#x, one.example",
      "https://user:pass@one.example:80/, one.example:80",
      "https://one.example/@two.example/, one.example",
      "http://[2001:db8::1]:8080/, [2001:db8::1]:8080",
      "http://127.0.0.1:1/a:b@c, 127.0.0.1:1",
    })
    void a_host_has_the_name_that_laggards_have_it_by(String callback, String host) {
      Subscription one = subscribe(feed, callback);
      append(feed, 1);
      Round round = openRound(feed);

      assertThat(rounds().recipients(feed.id(), 0, Set.of(host), 10).recipients()).isEmpty();
      Round walked = round.at(one.id(), Map.of(host, 0L));
      assertThat(done(rounds().passOver(walked, 0, false, NOW)).count()).isEqualTo(1);
      assertThat(allDue()).extracting(Laggard::host).containsExactly(host);
    }
  }

  @Nested
  class Rows_of_those_passed_over {

    @Test
    void L4_whoever_is_at_the_host_misses_the_round_from_its_beginning_and_is_due_now() {
      Subscription one = dead("one");
      well("two");
      Subscription three = dead("three");
      append(feed, 1);
      Round round = openRound(feed);

      assertThat(passOver(round, 0, three.id())).isEqualTo(2);
      restart();

      assertThat(allDue())
          .containsExactlyInAnyOrder(
              laggard(one, round.from()).build(), laggard(three, round.from()).build());
      assertThat(laggards().oldestMissed()).contains(NOW);
      assertThat(recipients(feed.id(), 0, 10)).hasSize(1);
    }

    @Test
    void L4_only_those_between_the_two_ids_are() {
      Subscription one = dead("one");
      Subscription two = dead("two");
      dead("three");
      append(feed, 1);

      assertThat(passOver(openRound(feed), one.id(), two.id())).isEqualTo(1);

      assertThat(allDue()).extracting(Laggard::subscriptionId).containsExactly(two.id());
    }

    @Test
    void L5_one_that_is_a_laggard_stays_as_it_is() {
      Subscription one = dead("one");
      append(feed, 1);
      Laggard behind = laggard(one, 0).failed(3, after(Duration.ofHours(1)), "refused").build();
      walk(feed, behind);
      append(feed, 1);

      assertThat(passOver(openRound(feed), 0, one.id())).isZero();

      assertThat(allDue()).containsExactly(behind);
    }

    @Test
    void L6_one_that_began_within_the_round_misses_only_what_came_after() {
      append(feed, 1);
      Subscription late = dead("late");
      append(feed, 1);
      Round round = openRound(feed);
      Subscription after = dead("after");

      assertThat(passOver(round, 0, after.id())).isEqualTo(1);

      assertThat(allDue()).containsExactly(laggard(late, late.start()).build());
    }

    @Test
    void L12_what_it_may_have_got_before_a_crash_is_to_be_repeated() {
      Subscription one = dead("one");
      append(feed, 1);
      Round round = openRound(feed);

      done(rounds().passOver(round.at(one.id(), Map.of(DEAD, 0L)), 0, true, NOW));

      assertThat(allDue()).containsExactly(laggard(one, round.from()).sending(round.to()).build());
    }

    @Test
    void L4_they_are_remembered_with_the_checkpoint_until_they_have_their_rows() {
      Subscription one = dead("one");
      append(feed, 1);
      Round moved = openRound(feed).at(one.id(), Map.of(DEAD, 0L, "other.example", 7L));

      done(rounds().checkpoint(moved, List.of()));
      restart();

      assertThat(rounds().current(feed.id())).contains(moved);
    }

    @Test
    void they_are_written_so_many_at_a_time() {
      List<Subscription> all = register(Rounds.PASSED_AT_ONCE + 1);
      append(feed, 1);
      Subscription last = all.get(Rounds.PASSED_AT_ONCE);
      Round walked = openRound(feed).at(last.id(), Map.of(DEAD, 0L));

      Rounds.Passing first = done(rounds().passOver(walked, 0, false, NOW));
      Rounds.Passing second = done(rounds().passOver(walked, first.upTo(), false, NOW));

      assertThat(first)
          .isEqualTo(
              new Rounds.Passing(all.get(Rounds.PASSED_AT_ONCE - 1).id(), Rounds.PASSED_AT_ONCE));
      assertThat(second).isEqualTo(new Rounds.Passing(last.id(), 1));
    }

    @Test
    void where_nobody_is_left_the_round_is_passed() {
      Subscription one = dead("one");
      append(feed, 1);
      Round walked = openRound(feed).at(one.id() + 5, Map.of(DEAD, 0L));

      assertThat(done(rounds().passOver(walked, one.id(), false, NOW)))
          .isEqualTo(new Rounds.Passing(one.id() + 5, 0));
    }

    @Test
    void catch_up_is_told_of_their_host() {
      Subscription one = dead("one");
      append(feed, 1);
      Round round = openRound(feed);
      Map<String, Instant> told = new ConcurrentHashMap<>();
      laggards().onDue(told::put);

      passOver(round, 0, one.id());

      assertThat(told).containsExactly(Map.entry(DEAD, NOW));
    }
  }
}
