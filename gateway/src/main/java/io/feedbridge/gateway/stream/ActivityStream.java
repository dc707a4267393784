package io.feedbridge.gateway.stream;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.Outflow;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * What the gateway does, written to whoever looks on as it happens. Who is too slow for it misses
 * what falls out of the {@link ActivityLog} meanwhile. Thread-safe.
 */
public final class ActivityStream {

  /** Onlookers at once. */
  static final int MAX_READERS = 100;

  private final ActivityLog log;
  private final Executor executor;
  private final Readers readers;

  /**
   * A stream.
   *
   * @param executor where it is written; takes a task for each reader
   */
  public ActivityStream(ActivityLog log, Executor executor, Timer timer) {
    this.log = log;
    this.executor = executor;
    readers = new Readers(MAX_READERS, timer);
  }

  /** Who looks on. */
  public Readers readers() {
    return readers;
  }

  /**
   * Serves an onlooker for as long as it listens. Does not block.
   *
   * @param after the last thing that it has
   * @param view a thing as JSON in one line; empty for what it is not to see
   */
  public void serve(long after, Wire wire, Function<Activity, Optional<byte[]>> view, Outflow out) {
    if (!readers.enter(out, wire)) {
      return;
    }
    Onlooker onlooker = new Onlooker(after, wire, view, out);
    Runnable stop = log.listen(onlooker::wake);
    var unused = out.ended().thenRun(stop);
    onlooker.wake();
  }

  /** One reader; at most one piece for it is being made or written at a time. */
  private final class Onlooker {
    private final Wire wire;
    private final Function<Activity, Optional<byte[]>> view;
    private final Outflow out;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** Of whoever made it busy. */
    private volatile long seen;

    Onlooker(long after, Wire wire, Function<Activity, Optional<byte[]>> view, Outflow out) {
      seen = after;
      this.wire = wire;
      this.view = view;
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

    /** Looks once more: who noted something while this was busy did not wake it. */
    private void rest() {
      busy.set(false);
      if (log.newestId() > seen) {
        wake();
      }
    }
  }
}
