package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.FetchScheduler.Slot;
import io.feedbridge.gateway.ingest.FetchScheduler.Turn;
import io.feedbridge.gateway.ingest.fetch.DocumentMemory;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.OriginWindow;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A host that is not known has two permits; see {@link OriginWindow}. */
class FetchSchedulerTest {

  private static final Origin HOST = Origin.of("http://origin.example/feed.xml");
  private static final int THREADS = 4;

  private final AtomicLong pinged = new AtomicLong(-1);
  private final DocumentMemory documents = new DocumentMemory();
  private final ManualTimer timer = new ManualTimer(StageBench.START);
  private final FetchScheduler scheduler =
      new FetchScheduler(
          work(),
          documents,
          THREADS,
          Duration.ZERO,
          Origins.inMemory(Duration.ofHours(1), timer.clock()),
          timer);

  /** The scheduler asks the work one thing alone. */
  private Work work() {
    return (Work)
        Proxy.newProxyInstance(
            Work.class.getClassLoader(),
            new Class<?>[] {Work.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("pingedSince");
              return ((Collection<?>) arguments[0])
                  .stream()
                      .map(position -> ((Position) position).feedId())
                      .filter(feed -> feed == pinged.get())
                      .collect(Collectors.toSet());
            });
  }

  private Slot slot(long feed) {
    WorkItem poll = new WorkItem.Light(feed, Via.POLL, StageBench.START);
    return scheduler.slot(
        FetchJob.of(new Assignment(feed, List.of(poll), new Position(feed, feed))));
  }

  @Test
  void a_thread_is_free_again_once_the_slot_leaves_it_or_is_closed() {
    Slot one = slot(1);
    Slot two = slot(2);
    assertThat(scheduler.free()).isEqualTo(THREADS - 2);

    one.leaveThread();
    one.close();
    two.close();
    two.close();

    assertThat(scheduler.free()).isEqualTo(THREADS);
  }

  @Test
  void a_closed_slot_gives_its_permit_to_the_next_in_line() {
    Slot first = slot(1);
    Slot second = slot(2);
    Slot third = slot(3);
    assertThat(first.turn(HOST, Haste.PING)).isCompletedWithValue(new Turn.Now());
    assertThat(second.turn(HOST, Haste.PING)).isCompletedWithValue(new Turn.Now());
    CompletableFuture<Turn> turn = third.turn(HOST, Haste.PING);
    assertThat(turn).isNotDone();

    first.close();
    first.close();

    assertThat(turn).isCompletedWithValue(new Turn.Now());
    assertThat(slot(4).turn(HOST, Haste.PING)).isNotDone();
  }

  @Test
  void a_permit_that_is_granted_to_a_closed_slot_is_not_lost() {
    Slot first = slot(1);
    Slot closed = slot(3);
    Slot last = slot(4);
    assertThat(first.turn(HOST, Haste.PING)).isDone();
    assertThat(slot(2).turn(HOST, Haste.PING)).isDone();
    CompletableFuture<Turn> never = closed.turn(HOST, Haste.PING);
    CompletableFuture<Turn> turn = last.turn(HOST, Haste.PING);
    closed.close();

    first.close();

    assertThat(never).isNotDone();
    assertThat(turn).isCompletedWithValue(new Turn.Now());
  }

  @Test
  void a_poll_that_waits_is_overtaken_by_a_ping_of_its_feed() {
    slot(1).turn(HOST, Haste.POLL).join();
    slot(2).turn(HOST, Haste.POLL).join();
    CompletableFuture<Turn> turn = slot(3).turn(HOST, Haste.POLL);

    pinged.set(4);
    scheduler.hurryPinged();
    assertThat(turn).isNotDone();
    pinged.set(3);
    scheduler.hurryPinged();

    assertThat(turn).isCompletedWithValue(new Turn.Overtaken());
  }

  @Test
  void a_ping_that_arrived_before_the_poll_was_known_to_wait_overtakes_it() {
    slot(1).turn(HOST, Haste.POLL).join();
    slot(2).turn(HOST, Haste.POLL).join();
    pinged.set(3);

    assertThat(slot(3).turn(HOST, Haste.POLL)).isCompletedWithValue(new Turn.Overtaken());
  }

  @Test
  void a_delivery_that_needs_a_fetch_after_all_lets_go_of_its_bytes() {
    Slot slot = slot(1);
    assertThat(slot.document().take(2 * DocumentMemory.USUAL)).isTrue();
    assertThat(slot.digestible(2 * DocumentMemory.USUAL)).isDone();

    assertThat(slot.turn(HOST, Haste.PING)).isCompletedWithValue(new Turn.Now());

    assertThat(documents.heldBytes()).isZero();
    assertThat(slot.document().take(1)).isTrue();
    slot.close();
    assertThat(documents.heldBytes()).isZero();
    slot.leaveHost(OriginWindow.Ending.ANSWERED);
  }
}
