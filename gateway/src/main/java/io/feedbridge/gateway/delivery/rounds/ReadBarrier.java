package io.feedbridge.gateway.delivery.rounds;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no host is taken for silent because the gateway had no time to listen: after a
 * pause of the collector, or beside others on a busy machine, answers lie unread. So the end of a
 * wait is put off, once it has come, until all that had arrived by then has been read. Thread-safe.
 */
final class ReadBarrier {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(1);

  private final Supplier<CompletableFuture<Void>> hearOut;
  private @Nullable CompletableFuture<Void> heard;
  private long since;

  /**
   * A wait's.
   *
   * @param hearOut completes when all is read that had come by then
   */
  ReadBarrier(Supplier<CompletableFuture<Void>> hearOut) {
    this.hearOut = hearOut;
  }

  /**
   * When the wait is over.
   *
   * @param end when it would be, by {@link System#nanoTime}
   */
  synchronized long atLeastUntilHeard(long end) {
    long now = System.nanoTime();
    if (end - now > 0) {
      heard = null;
      return end;
    }
    if (heard == null) {
      heard = hearOut.get();
      since = now;
    }
    boolean over = heard.isDone() || now - since >= WaitBudget.LONGEST.toNanos();
    return over ? end : now + LOOK_AGAIN.toNanos();
  }
}
