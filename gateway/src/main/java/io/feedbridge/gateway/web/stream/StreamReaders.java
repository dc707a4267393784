package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.message.Outflow;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The readers: bounded in number, and each sent a heartbeat now and then. */
public final class StreamReaders implements AutoCloseable {

  /**
   * How often a reader is sent bytes; proxies close a connection that is silent for a minute or so.
   */
  static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final int most;
  private final Timer timer;
  private final Map<Outflow, Beat> all = new ConcurrentHashMap<>();

  private Timer.@Nullable Scheduled next;
  private boolean closed;

  /** At most so many at once. */
  public StreamReaders(int most, Timer timer) {
    this.most = most;
    this.timer = timer;
  }

  private record Beat(Wire wire, CompletableFuture<Void> last) {}

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

  /** Whether no more are let in. */
  public boolean isFull() {
    return all.size() >= most;
  }

  /**
   * Lets a reader in.
   *
   * @return whether there was room; otherwise its response was ended
   */
  boolean enter(Outflow reader, Wire wire) {
    if (isFull()) {
      reader.end();
      return false;
    }
    // The first one at once: a client, and whatever stands between, sees that the stream is open.
    all.put(reader, new Beat(wire, reader.write(wire.heartbeat())));
    var unused = reader.ended().thenRun(() -> all.remove(reader));
    return true;
  }

  private void beat() {
    // A reader that has not taken the last heartbeat is sent no other.
    all.replaceAll(
        (reader, beat) ->
            beat.last().isDone()
                ? new Beat(beat.wire(), reader.write(beat.wire().heartbeat()))
                : beat);
    start();
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
