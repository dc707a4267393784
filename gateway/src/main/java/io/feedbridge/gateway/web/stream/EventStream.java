package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.delivery.send.News;
import io.feedbridge.gateway.log.LogFollower;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.log.LogSink;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The unified stream: every event of the log, or of some feeds, in the order of the log, written to
 * each reader as fast as it takes them (rule L8). Thread-safe.
 */
public final class EventStream {

  /** Readers at once. */
  public static final int MAX_READERS = 5_000;

  /** Readers of one caller. */
  static final int MAX_READERS_OF_ONE = 500;

  /** The most callers that wait for the next entries alone. */
  public static final int MAX_WAITING = 1_000;

  /** The most requests of one caller that wait so. */
  static final int MAX_WAITING_OF_ONE = 100;

  private final LogFollowers followers;
  private final Timer timer;
  private final Permits<String, Void> places =
      new Permits<>(Permits.Bounds.of(MAX_WAITING_OF_ONE, MAX_WAITING));
  private final StreamReaders readers;
  private final Executor executor;
  private final Renderings renderings = new Renderings();

  /**
   * A stream.
   *
   * @param followers that serve this stream's readers alone, so that slow readers delay no other
   *     follower
   * @param executor where documents are rendered; takes a task for each reader
   */
  public EventStream(LogFollowers followers, Executor executor, Timer timer) {
    this.followers = followers;
    this.executor = executor;
    this.timer = timer;
    readers =
        new StreamReaders(Permits.Bounds.of(MAX_READERS_OF_ONE, MAX_READERS), executor, timer);
  }

  /**
   * The events that a reader wants.
   *
   * @param after the last event that it has
   * @param updates whether every changed entry is news to it, or only one that changed just now
   */
  public record Query(long after, Log.Scope scope, Wire wire, boolean updates) {}

  /** The readers of the stream. */
  public StreamReaders readers() {
    return readers;
  }

  /**
   * Serves a reader for as long as it listens and may. Does not block.
   *
   * @param first documents that are written before the events
   */
  public void serve(List<byte[]> first, Query query, StreamCaller caller, Outflow out) {
    if (readers.enter(out, query.wire(), caller)) {
      begin(first.iterator(), query, caller, out);
    }
  }

  private void begin(Iterator<byte[]> first, Query query, StreamCaller caller, Outflow out) {
    if (!first.hasNext()) {
      follow(query, caller, out);
      return;
    }
    try {
      executor.execute(() -> write(first, query, caller, out));
    } catch (RejectedExecutionException stopping) {
      out.end();
    }
  }

  private void write(Iterator<byte[]> first, Query query, StreamCaller caller, Outflow out) {
    boolean goesOn = false;
    try {
      goesOn = caller.mayRead();
    } finally {
      if (!goesOn) {
        out.end();
      }
    }
    if (!goesOn) {
      return;
    }
    var unused =
        out.write(first.next())
            .whenComplete(
                (written, failure) -> {
                  if (failure == null) {
                    begin(first, query, caller, out);
                  }
                });
  }

  private void follow(Query query, StreamCaller caller, Outflow out) {
    LogFollower follower;
    try {
      follower =
          followers.read(
              query.after(),
              query.scope(),
              new StreamReader(out, query, caller, renderings, executor),
              caller.key());
    } catch (IllegalStateException stopping) {
      out.end();
      return;
    }
    var unused = out.ended().thenCompose(over -> follower.stop());
  }

  /**
   * Waits for the next entries. Does not block.
   *
   * @param after the last event that was looked at
   * @param caller the caller's key, as far as limits tell callers apart
   * @return whether there are any after it, at the latest when the time is over
   * @throws RejectedExecutionException if too many wait already, or the gateway is stopping
   */
  public CompletableFuture<Boolean> next(
      long after, Log.Scope scope, String caller, Duration atMost) {
    if (!places.tryTake(caller)) {
      throw new RejectedExecutionException("too many requests wait for entries");
    }
    CompletableFuture<Boolean> come = new CompletableFuture<>();
    LogFollower follower;
    try {
      follower = followers.read(after, scope, (events, more, retries) -> look(events, come), null);
    } catch (IllegalStateException stopping) {
      var unused = places.giveBack(caller);
      throw new RejectedExecutionException(stopping);
    }
    Timer.Scheduled end =
        timer.at(timer.clock().instant().plus(atMost), () -> come.complete(false));
    return come.whenComplete(
        (done, failure) -> {
          end.cancel();
          var unusedNext = places.giveBack(caller);
          var unused = follower.stop();
        });
  }

  private static CompletableFuture<LogSink.Answer> look(
      List<Event> events, CompletableFuture<Boolean> come) {
    boolean entries =
        events.stream()
            .flatMap(event -> News.of(List.of(event), News.Wanted.usual(false)).stream())
            .anyMatch(news -> !news.feed().entries().isEmpty());
    if (entries) {
      come.complete(true);
    }
    return CompletableFuture.completedFuture(
        come.isDone() ? LogSink.Answer.END : LogSink.Answer.TAKEN);
  }
}
