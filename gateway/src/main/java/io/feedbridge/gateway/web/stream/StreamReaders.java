package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.store.StoreException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The readers: bounded in number, with a share for each caller. Each is sent a heartbeat now and
 * then, for as long as it has the right to read. Thread-safe.
 */
public final class StreamReaders implements AutoCloseable {

  /**
   * How often a reader is sent bytes; proxies close a connection that is silent for a minute or so.
   * The right of a reader is asked as often, at least.
   */
  static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final Permits<String, Void> places;
  private final Executor executor;
  private final Timer timer;
  private final Map<Outflow, Reader> all = new ConcurrentHashMap<>();

  private Timer.@Nullable Scheduled next;
  private boolean closed;

  /**
   * No readers yet.
   *
   * @param bounds of readers, with the callers as keys
   * @param executor where rights are asked, which may block
   */
  StreamReaders(Permits.Bounds bounds, Executor executor, Timer timer) {
    places = new Permits<>(bounds);
    this.executor = executor;
    this.timer = timer;
  }

  /** A reader; its last heartbeat belongs to the thread that makes the heartbeats. */
  private static final class Reader {
    private final Wire wire;
    private final StreamCaller caller;
    private volatile CompletableFuture<Void> last;

    Reader(Wire wire, StreamCaller caller, CompletableFuture<Void> last) {
      this.wire = wire;
      this.caller = caller;
      this.last = last;
    }
  }

  /** Begins to keep the connections awake. */
  public synchronized void start() {
    if (!closed) {
      next = timer.at(timer.clock().instant().plus(HEARTBEAT), this::beat);
    }
  }

  /** How many there are. */
  public int count() {
    return all.size();
  }

  /**
   * Whether no further reader of a caller is let in.
   *
   * @param caller as limits tell callers apart
   */
  public boolean isFull(String caller) {
    return !places.hasRoom(caller);
  }

  /**
   * Lets a reader in.
   *
   * @return whether there was room; otherwise its response was ended
   */
  boolean enter(Outflow out, Wire wire, StreamCaller caller) {
    if (!places.tryTake(caller.key())) {
      out.end();
      return false;
    }
    // The first one at once: a client, and whatever stands between, sees that the stream is open.
    all.put(out, new Reader(wire, caller, out.write(wire.heartbeat())));
    var unused =
        out.ended()
            .thenRun(
                () -> {
                  all.remove(out);
                  var unusedNext = places.giveBack(caller.key());
                });
    return true;
  }

  private void beat() {
    try {
      executor.execute(this::beatAll);
    } catch (RejectedExecutionException busy) {
      start();
    }
  }

  private void beatAll() {
    try {
      all.forEach(StreamReaders::beat);
    } finally {
      start();
    }
  }

  private static void beat(Outflow out, Reader reader) {
    boolean deaf = !reader.last.isDone();
    try {
      if (!reader.caller.mayRead()) {
        // The end of a response that a client does not read would never reach it.
        if (deaf) {
          out.abort();
        } else {
          out.end();
        }
        return;
      }
    } catch (StoreException unknown) {
      // No piece is sent before the right is known. The next heartbeat asks again.
      return;
    }
    // A reader that has not taken the last heartbeat is sent no other.
    if (!deaf) {
      reader.last = out.write(reader.wire.heartbeat());
    }
  }

  /** Stops the heartbeats. The server closes the readers' connections. */
  @Override
  public synchronized void close() {
    closed = true;
    if (next != null) {
      next.cancel();
    }
  }
}
