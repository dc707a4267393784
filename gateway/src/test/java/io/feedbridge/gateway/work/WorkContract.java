package io.feedbridge.gateway.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreContract;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link Work}, together with the store that records what is done. */
public abstract class WorkContract extends StoreContract {

  private WorkItem.Light ping(FollowedFeed feed, int number) {
    WorkItem.Light item =
        new WorkItem.Light(feed.id(), Via.PING, after(Duration.ofSeconds(number)));
    done(work().add(item));
    return item;
  }

  private WorkItem.Fat delivery(FollowedFeed feed, String content) {
    WorkItem.Fat item =
        new WorkItem.Fat(
            feed.id(),
            Via.WEBSUB,
            NOW,
            "application/atom+xml",
            content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    done(work().add(item));
    return item;
  }

  private Assignment takeOne() {
    List<Assignment> taken = work().take(1);
    assertThat(taken).hasSize(1);
    return taken.get(0);
  }

  private void record(Assignment assignment) {
    done(recorded(assignment));
  }

  private CompletableFuture<List<Long>> recorded(Assignment assignment) {
    FollowedFeed feed = feeds().byId(assignment.feedId()).orElseThrow();
    return feeds().record(OutcomeBuilder.of(feed, NOW).doing(assignment).build());
  }

  private static void isDelivery(Assignment assignment, WorkItem.Fat expected) {
    assertThat(assignment.items())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(expected);
  }

  @Nested
  class Order {

    @Test
    void light_items_of_a_feed_are_handed_out_as_one_run_in_order() {
      FollowedFeed feed = feed("feed");
      List<WorkItem> pings = List.of(ping(feed, 3), ping(feed, 1), ping(feed, 2));

      Assignment taken = takeOne();

      assertThat(taken.feedId()).isEqualTo(feed.id());
      assertThat(taken.items()).isEqualTo(pings);
    }

    @Test
    void a_fat_item_is_handed_out_alone_with_its_exact_bytes() {
      FollowedFeed feed = feed("feed");
      byte[] bytes = new byte[256];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) i;
      }
      WorkItem.Fat item = new WorkItem.Fat(feed.id(), Via.PUBLISH, NOW, null, bytes);
      done(work().add(item));

      isDelivery(takeOne(), item);
    }

    @Test
    void runs_and_fat_items_keep_the_order_in_which_they_came() {
      FollowedFeed feed = feed("feed");
      WorkItem one = ping(feed, 1);
      WorkItem two = ping(feed, 2);
      WorkItem.Fat three = delivery(feed, "three");
      WorkItem.Fat four = delivery(feed, "four");
      WorkItem five = ping(feed, 5);

      assertThat(next().items()).containsExactly(one, two);
      isDelivery(next(), three);
      isDelivery(next(), four);
      assertThat(next().items()).containsExactly(five);
      assertThat(work().take(1)).isEmpty();
    }

    /** Takes, records and gives back. */
    private Assignment next() {
      Assignment taken = takeOne();
      record(taken);
      work().giveBack(taken);
      return taken;
    }

    @Test
    void whose_work_waits_longest_comes_first_and_at_most_as_many_as_asked_for() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      FollowedFeed three = feed("three");
      ping(two, 1);
      ping(three, 1);
      ping(one, 1);
      ping(two, 2);

      assertThat(work().take(2))
          .extracting(Assignment::feedId)
          .containsExactly(two.id(), three.id());
      assertThat(work().take(2)).extracting(Assignment::feedId).containsExactly(one.id());
    }

    @Test
    void with_much_content_is_handed_out_a_few_at_a_time() {
      List<FollowedFeed> feeds = List.of(feed("one"), feed("two"), feed("three"));
      feeds.forEach(feed -> delivery(feed, "x".repeat(10 << 20)));

      List<Assignment> first = work().take(10);
      assertThat(first)
          .extracting(Assignment::feedId)
          .containsExactly(feeds.get(0).id(), feeds.get(1).id());
      assertThat(work().take(10)).extracting(Assignment::feedId).containsExactly(feeds.get(2).id());
    }

    @Test
    void an_empty_run_is_no_assignment() {
      assertThat(work().take(10)).isEmpty();
      ping(feed("feed"), 1);
      assertThat(work().take(0)).isEmpty();
      assertThat(work().take(10)).hasSize(1);
    }

    @Test
    void L10_any_number_of_pings_is_one_assignment() {
      FollowedFeed feed = feed("feed");
      concurrently(2_500, i -> work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
      delivery(feed, "more");

      Assignment pings = work().take(1).get(0);
      record(pings);
      work().giveBack(pings);

      assertThat(pings.items()).isNotEmpty().allMatch(WorkItem.Light.class::isInstance);
      assertThat(work().waiting()).isEqualTo(1);
      assertThat(takeOne().items()).singleElement().isInstanceOf(WorkItem.Fat.class);
    }
  }

  @Nested
  class L2_serial_per_feed {

    @Test
    void L2_no_work_of_a_feed_is_handed_out_while_some_is_out() {
      FollowedFeed feed = feed("feed");
      FollowedFeed other = feed("other");
      ping(feed, 1);
      Assignment out = takeOne();
      delivery(feed, "more");
      ping(other, 1);

      assertThat(work().take(10)).extracting(Assignment::feedId).containsExactly(other.id());
      record(out);
      assertThat(work().take(10)).isEmpty();

      work().giveBack(out);
      assertThat(takeOne().items()).hasSize(1);
    }

    @Test
    void L2_many_takers_at_once_never_share_a_feed() {
      Set<Long> ids = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        FollowedFeed feed = feed("feed-" + i);
        ids.add(feed.id());
        ping(feed, 1);
      }

      List<Long> taken = new ArrayList<>();
      concurrently(40, i -> CompletableFuture.completedFuture(work().take(3)))
          .forEach(some -> some.forEach(assignment -> taken.add(assignment.feedId())));

      assertThat(taken).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @Nested
  class L1_done_when_recorded {

    @Test
    void L1_work_given_back_without_a_record_is_handed_out_again() {
      FollowedFeed feed = feed("feed");
      ping(feed, 1);
      Assignment first = takeOne();

      work().giveBack(first);

      assertThat(takeOne()).isEqualTo(first);
    }

    @Test
    void L1_work_that_was_out_is_handed_out_again_after_a_restart() {
      FollowedFeed feed = feed("feed");
      WorkItem.Fat item = delivery(feed, "content");
      takeOne();

      restart();

      isDelivery(takeOne(), item);
    }

    @Test
    void L1_recorded_work_is_gone_after_a_restart_even_if_it_was_not_given_back() {
      FollowedFeed feed = feed("feed");
      ping(feed, 1);
      record(takeOne());

      restart();

      assertThat(work().take(1)).isEmpty();
      assertThat(work().waiting()).isZero();
    }

    @Test
    void L1_a_record_ends_the_work_of_its_own_feed_only() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      WorkItem other = ping(two, 1);
      ping(one, 1);
      List<Assignment> taken = work().take(2);
      taken.stream().filter(a -> a.feedId() == one.id()).forEach(WorkContract.this::record);
      taken.forEach(work()::giveBack);

      assertThat(takeOne().items()).containsExactly(other);
    }
  }

  @Nested
  class L10_pings_are_not_lost {

    @Test
    void L10_items_added_after_take_stay_for_the_next_assignment() {
      FollowedFeed feed = feed("feed");
      WorkItem first = ping(feed, 1);
      Assignment out = takeOne();
      WorkItem late = ping(feed, 2);
      WorkItem later = ping(feed, 3);
      assertThat(out.items()).containsExactly(first);

      record(out);
      work().giveBack(out);

      assertThat(takeOne().items()).containsExactly(late, later);
    }

    @Test
    void L10_items_added_while_an_outcome_is_recorded_stay_for_the_next_assignment() {
      FollowedFeed feed = feed("feed");
      ping(feed, 1);
      Assignment out = takeOne();
      WorkItem.Light late = new WorkItem.Light(feed.id(), Via.PING, NOW);
      Held held = new Held();
      CompletableFuture<?> recorded =
          CompletableFuture.runAsync(
              () ->
                  inOneCommit(
                      () ->
                          List.of(
                              recorded(out).thenApply(numbers -> true),
                              database().write(0, held, true))));
      done(held.begun);
      CompletableFuture<Void> added = work().add(late);

      held.go.complete(true);
      done(added);
      done(recorded);
      work().giveBack(out);

      assertThat(takeOne().items()).containsExactly(late);
    }

    @Test
    void L10_items_stay_for_the_next_assignment_when_an_outcome_is_recorded_while_they_are_added() {
      FollowedFeed feed = feed("feed");
      ping(feed, 1);
      Assignment out = takeOne();
      WorkItem.Light late = new WorkItem.Light(feed.id(), Via.PING, NOW);
      Held held = new Held();
      CompletableFuture<?> added =
          CompletableFuture.runAsync(
              () ->
                  inOneCommit(
                      () ->
                          List.of(
                              work().add(late).thenApply(none -> true),
                              database().writeBeside(0, held, true))));
      done(held.begun);
      CompletableFuture<List<Long>> recorded = recorded(out);

      held.go.complete(true);
      done(added);
      done(recorded);
      work().giveBack(out);

      assertThat(takeOne().items()).containsExactly(late);
    }

    /** A write that ends its transaction when it is told to. */
    private static final class Held implements Database.Joint<Boolean, Boolean> {
      private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
      private final CompletableFuture<Boolean> go = new CompletableFuture<>();

      @Override
      public List<Boolean> run(Handle handle, Set<Effect> effects, List<Boolean> parts) {
        begun.complete(true);
        return List.of(go.join());
      }
    }

    /** Work is added and recorded by writers that may commit at the same time. */
    @Test
    void L10_no_feed_with_work_is_forgotten_when_pings_and_outcomes_meet() throws Exception {
      List<FollowedFeed> feeds = List.of(feed("one"), feed("two"), feed("three"), feed("four"));
      int many = 400;
      CompletableFuture<?> pinged =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < many; i++) {
                  // In turning order: writers that wait for each other would be seen.
                  List<CompletableFuture<Void>> some = new ArrayList<>();
                  for (int j = 0; j < feeds.size(); j++) {
                    long id = feeds.get((i + j) % feeds.size()).id();
                    some.add(work().add(new WorkItem.Light(id, Via.PING, NOW)));
                  }
                  some.forEach(StoreContract::done);
                }
              });
      int served = 0;
      while (!pinged.isDone() || served > 0) {
        List<Assignment> taken = work().take(10);
        served = taken.size();
        List<CompletableFuture<?>> ends = new ArrayList<>();
        for (Assignment one : taken) {
          ends.add(
              one.feedId() % 2 == 0 ? recorded(one) : feeds().putOff(one.position(), NOW, null));
        }
        ends.forEach(StoreContract::done);
        taken.forEach(work()::giveBack);
      }

      pinged.get();
      assertThat(work().waiting()).isZero();
      assertThat(work().take(1)).isEmpty();
    }

    @Test
    void L10_a_delivery_that_comes_while_pings_are_taken_is_not_taken_for_one() throws Exception {
      FollowedFeed feed = feed("feed");
      int many = 300;
      CompletableFuture<?> arriving =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < many; i++) {
                  ping(feed, i);
                  delivery(feed, "content " + i);
                }
              });
      List<WorkItem.Fat> deliveries = new ArrayList<>();
      boolean served = false;
      while (!arriving.isDone() || served) {
        List<Assignment> taken = work().take(1);
        served = !taken.isEmpty();
        for (Assignment one : taken) {
          one.items().stream()
              .filter(WorkItem.Fat.class::isInstance)
              .forEach(item -> deliveries.add((WorkItem.Fat) item));
          record(one);
          work().giveBack(one);
        }
      }

      arriving.get();
      assertThat(deliveries).hasSize(many);
    }

    /** As a process leaves it that ends after an outcome, before the end of its backlog. */
    @Test
    void a_feed_without_work_in_the_backlog_holds_up_no_other() {
      FollowedFeed first = feed("first");
      FollowedFeed feed = feed("feed");
      done(
          database()
              .write(
                  (handle, effects) ->
                      handle.execute(
                          "INSERT INTO backlog (feed_id, oldest) VALUES (?, 0)", first.id())));
      WorkItem.Light ping = new WorkItem.Light(feed.id(), Via.PING, NOW);
      done(work().add(ping));
      Signal<Boolean> told = signal(() -> true);
      work().onAdded(told);

      assertThat(work().take(1)).isEmpty();
      told.awaits(true);

      assertThat(takeOne().items()).containsExactly(ping);
    }

    @Test
    void many_items_added_at_once_are_all_there_afterwards_and_after_a_restart() {
      FollowedFeed feed = feed("feed");
      int many = 500;
      concurrently(many, i -> work().add(new WorkItem.Light(feed.id(), Via.PING, at(i))));
      assertThat(work().waiting()).isEqualTo(many);

      restart();

      assertThat(work().waiting()).isEqualTo(many);
      assertThat(takeOne().items())
          .extracting(WorkItem::receivedAt)
          .doesNotHaveDuplicates()
          .hasSize(many);
    }

    private static Instant at(int second) {
      return NOW.plusSeconds(second);
    }
  }

  @Nested
  class Counting {

    @Test
    void what_waits_and_what_is_out_is_counted() {
      FollowedFeed feed = feed("feed");
      ping(feed, 1);
      ping(feed, 2);
      Assignment out = takeOne();
      delivery(feed, "more");
      assertThat(work().waiting()).isEqualTo(3);

      record(out);
      assertThat(work().waiting()).isEqualTo(1);
    }

    @Test
    void an_item_for_no_feed_is_refused_and_counts_for_nothing() {
      assertThat(work().add(new WorkItem.Light(77, Via.PING, NOW)))
          .failsWithin(Duration.ofSeconds(20));
      assertThat(work().waiting()).isZero();
    }
  }

  @Nested
  class Signals {

    @Test
    void added_work_is_told_once_it_is_there() {
      FollowedFeed feed = feed("feed");
      Signal<Long> told = signal(() -> work().waiting());
      work().onAdded(told);

      ping(feed, 1);

      told.awaits(1L);
    }
  }
}
