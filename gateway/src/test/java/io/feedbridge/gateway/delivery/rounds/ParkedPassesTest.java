package io.feedbridge.gateway.delivery.rounds;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waiting without a thread each. */
class ParkedPassesTest {

  private static final long NEVER = Duration.ofDays(1).toNanos();

  /** One thread, so that a rest that held it would keep the others from it. */
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  private final ParkedPasses parked = new ParkedPasses(thread);
  private final List<String> woken = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    parked.close();
    thread.shutdownNow();
  }

  private static Parked until(AtomicBoolean come, long nanos) {
    long end = System.nanoTime() + nanos;
    return new Parked(come::get, () -> end);
  }

  private void awaitWoken(String... names) {
    Awaitility.await().until(() -> woken.equals(List.of(names)));
  }

  @Test
  void each_goes_on_when_what_it_waits_for_has_come() {
    AtomicBoolean first = new AtomicBoolean();
    AtomicBoolean second = new AtomicBoolean();
    parked.add(until(first, NEVER), () -> woken.add("first"));
    parked.add(until(second, NEVER), () -> woken.add("second"));

    second.set(true);
    parked.look();
    awaitWoken("second");
    first.set(true);
    parked.look();
    awaitWoken("second", "first");
  }

  @Test
  void one_goes_on_when_its_time_is_over() {
    parked.add(until(new AtomicBoolean(), NEVER), () -> woken.add("waits"));
    parked.add(
        until(new AtomicBoolean(), Duration.ofMillis(20).toNanos()), () -> woken.add("late"));

    awaitWoken("late");
  }

  @Test
  void an_end_that_was_put_off_is_waited_for() {
    AtomicLong end = new AtomicLong(System.nanoTime() + Duration.ofMillis(20).toNanos());
    AtomicBoolean come = new AtomicBoolean();
    parked.add(new Parked(come::get, end::get), () -> woken.add("put off"));
    end.addAndGet(NEVER);
    parked.add(
        until(new AtomicBoolean(), Duration.ofMillis(60).toNanos()), () -> woken.add("late"));

    awaitWoken("late");
    come.set(true);
    parked.look();
    awaitWoken("late", "put off");
  }

  @Test
  void the_thread_is_given_back_while_nobody_rests() throws Exception {
    parked.add(until(new AtomicBoolean(true), NEVER), () -> woken.add("one"));
    awaitWoken("one");
    CountDownLatch other = new CountDownLatch(1);

    thread.execute(other::countDown);

    other.await();
    parked.add(until(new AtomicBoolean(true), NEVER), () -> woken.add("two"));
    awaitWoken("one", "two");
  }

  @Test
  void at_a_stop_everybody_goes_on() {
    parked.add(until(new AtomicBoolean(), NEVER), () -> woken.add("one"));

    parked.close();

    awaitWoken("one");
    parked.add(until(new AtomicBoolean(), NEVER), () -> woken.add("two"));
    awaitWoken("one", "two");
  }
}
