package io.feedbridge.gateway.stream;

import io.feedbridge.gateway.fanout.LogFollower;
import io.feedbridge.gateway.fanout.LogFollowers;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.Outflow;
import io.feedbridge.gateway.store.Log;
import java.util.concurrent.Executor;

/**
 * The unified stream: every event of the log, or of some feeds, in the order of the log, written to
 * each reader as fast as it takes them (rule L8). Thread-safe.
 */
public final class EventStream {

  /** Readers at once. */
  public static final int MAX_READERS = 5_000;

  private final LogFollowers followers;
  private final Readers readers;
  private final Executor executor;
  private final Renderings renderings = new Renderings();

  /**
   * A stream.
   *
   * @param followers that serve its readers and nobody else, so that slow ones hold up nobody else
   * @param executor where documents are rendered; takes a task for each reader
   */
  public EventStream(LogFollowers followers, Executor executor, Timer timer) {
    this.followers = followers;
    this.executor = executor;
    readers = new Readers(MAX_READERS, timer);
  }

  /**
   * What a reader wants.
   *
   * @param after the last event that it has
   * @param updates whether every changed entry is news to it, or only one that changed just now
   */
  public record Query(long after, Log.Scope scope, Wire wire, boolean updates) {}

  /** Who reads it. */
  public Readers readers() {
    return readers;
  }

  /** Serves a reader for as long as it listens. Does not block. */
  public void serve(Query query, Outflow out) {
    if (!readers.enter(out, query.wire())) {
      return;
    }
    LogFollower follower;
    try {
      follower =
          followers.read(
              query.after(), query.scope(), new Reader(out, query, renderings, executor));
    } catch (IllegalStateException stopping) {
      out.end();
      return;
    }
    var unused = out.ended().thenCompose(over -> follower.stop());
  }
}
