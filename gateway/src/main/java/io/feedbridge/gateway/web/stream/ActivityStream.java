package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.message.Outflow;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Writes the gateway's activity to each onlooker as it happens. A slow onlooker misses activity
 * that falls out of the {@link ActivityLog} meanwhile. Thread-safe.
 */
public final class ActivityStream {

  /** Onlookers at once. */
  static final int MAX_READERS = 100;

  /** Onlookers of one caller. */
  static final int MAX_READERS_OF_ONE = 20;

  private final ActivityLog log;
  private final Executor executor;
  private final StreamReaders readers;

  /**
   * A stream.
   *
   * @param executor where activity is written; takes a task for each onlooker
   */
  public ActivityStream(ActivityLog log, Executor executor, Timer timer) {
    this.log = log;
    this.executor = executor;
    readers =
        new StreamReaders(Permits.Bounds.of(MAX_READERS_OF_ONE, MAX_READERS), executor, timer);
  }

  /** The onlookers. */
  public StreamReaders readers() {
    return readers;
  }

  /**
   * Serves an onlooker for as long as it listens and may. Does not block.
   *
   * @param after the id of the last activity that it has
   * @param view an activity as JSON in one line; empty if the onlooker may not see it
   */
  public void serve(
      long after,
      Wire wire,
      Function<Activity, Optional<byte[]>> view,
      StreamCaller caller,
      Outflow out) {
    if (!readers.enter(out, wire, caller)) {
      return;
    }
    Onlooker onlooker = new Onlooker(after, wire, view, caller, out);
    Runnable stop = log.listen(onlooker::wake);
    var unused = out.ended().thenRun(stop);
    onlooker.wake();
  }

  /** One onlooker; at most one piece for it is being made or written at a time. */
  private final class Onlooker {
    private final Wire wire;
    private final Function<Activity, Optional<byte[]>> view;
    private final StreamCaller caller;
    private final Outflow out;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** The id of the last activity written; belongs to the thread that made the onlooker busy. */
    private volatile long seen;

    Onlooker(
        long after,
        Wire wire,
        Function<Activity, Optional<byte[]>> view,
        StreamCaller caller,
        Outflow out) {
      seen = after;
      this.wire = wire;
      this.view = view;
      this.caller = caller;
      this.out = out;
    }

    void wake() {
      if (out.ended().isDone() || !busy.compareAndSet(false, true)) {
        return;
      }
      try {
        executor.execute(this::send);
      } catch (RejectedExecutionException stopping) {
        out.end();
      }
    }

    private void send() {
      byte[] piece = piece();
      if (piece.length == 0) {
        rest();
        return;
      }
      if (!caller.mayRead()) {
        out.end();
        return;
      }
      var unused =
          out.write(piece)
              .whenComplete(
                  (written, failure) -> {
                    if (failure == null) {
                      rest();
                    }
                  });
    }

    private byte[] piece() {
      ByteArrayOutputStream piece = new ByteArrayOutputStream();
      for (Activity one : log.after(seen)) {
        view.apply(one).ifPresent(json -> piece.writeBytes(wire.document(one.id(), json)));
        seen = one.id();
      }
      return piece.toByteArray();
    }

    /** Ends the busy time and checks the log again: activity noted meanwhile woke no thread. */
    private void rest() {
      busy.set(false);
      if (log.newestId() > seen) {
        wake();
      }
    }
  }
}
