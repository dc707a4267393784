package io.feedbridge.gateway.log;

import io.feedbridge.gateway.log.LogSink.Answer;
import io.feedbridge.gateway.schedule.BackOff;
import io.feedbridge.gateway.store.log.Log.Page;
import io.feedbridge.gateway.store.log.Log.Scope;
import io.feedbridge.gateway.store.log.LogConsumer;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one reader of the log in sequence (rule L8): one batch is in flight, and the next follows
 * when the sink has taken it. Safe for use by several threads.
 */
public final class LogFollower {

  private static final Logger log = LoggerFactory.getLogger(LogFollower.class);

  private final LogFollowers followers;
  private final Scope scope;
  private final LogSink sink;
  private final @Nullable String caller;
  private final BackOff backOff;
  private final Clock clock;
  private final LogPosition position;
  private final CompletableFuture<LogConsumer> stopped = new CompletableFuture<>();

  private boolean inFlight;

  /** Grows whenever failures so far cease to count; a failure of an earlier batch is no failure. */
  private int freshness;

  /** Whether the sink says when it takes more. */
  private boolean waits;

  private boolean ended;

  LogFollower(
      LogFollowers followers,
      LogPosition position,
      Scope scope,
      LogSink sink,
      @Nullable String caller,
      BackOff backOff,
      Clock clock) {
    this.followers = followers;
    this.position = position;
    this.scope = scope;
    this.sink = sink;
    this.caller = caller;
    this.backOff = backOff;
    this.clock = clock;
  }

  /** Everything up to here was taken, passed over or lost. */
  public synchronized long position() {
    return position.now().cursor();
  }

  /** A batch that waits for its next attempt is tried at once. */
  public void retryNow() {
    synchronized (this) {
      position.retry(clock.instant());
    }
    followers.ready(this);
  }

  /**
   * Its reader is at another address now: failures and pauses of the address before do not count. A
   * batch in flight may still be taken; a failure of it is not counted.
   */
  public void afresh() {
    synchronized (this) {
      freshness++;
      position.afresh(clock.instant());
    }
    followers.ready(this);
  }

  /**
   * Begins no further batch.
   *
   * @return completes once nothing is in flight and a durable consumer's position is written, with
   *     the position to follow from again. It completes as well when the follower ends by itself
   */
  public CompletableFuture<LogConsumer> stop() {
    synchronized (this) {
      ended = true;
    }
    followers.ready(this);
    return stopped.copy();
  }

  /**
   * Reads and hands on the next batch, and writes the position, as due. Called by one thread at a
   * time. Blocks on the store.
   *
   * @return when there is something to do again, unless it is made ready before
   */
  Optional<Instant> step() {
    Instant now = clock.instant();
    LogConsumer from;
    if (hasEnded()) {
      return end(now);
    }
    synchronized (this) {
      save(now);
      boolean early = position.notBefore().filter(at -> at.isAfter(now)).isPresent();
      if (inFlight || waits || early || position.isFull()) {
        return next();
      }
      from = position.now();
    }
    Page page =
        followers.read(
            from.cursor(),
            from.sentTo() == null ? Long.MAX_VALUE : from.sentTo(),
            scope,
            sink.wantsFilled());
    if (page.after() > from.cursor()) {
      return skip(from, page.after(), now);
    }
    if (page.events().isEmpty()) {
      return pass(from.cursor(), page.to(), now);
    }
    handOn(page, from.attempts());
    return next();
  }

  /** The caller that reads; null for a durable consumer. */
  @Nullable String caller() {
    return caller;
  }

  /** The reader leaves too much untaken: its connection ends, and it may come back. */
  void letGo() {
    log.atInfo()
        .addKeyValue("position", position())
        .log(
            "A reader of the stream was disconnected: it left events unread while other readers"
                + " waited");
    sink.letGo();
  }

  synchronized boolean hasEnded() {
    return ended;
  }

  /** The last checkpoint, then the end. */
  private Optional<Instant> end(Instant now) {
    LogConsumer last;
    synchronized (this) {
      if (inFlight) {
        return Optional.empty();
      }
      position.saveSoon(now);
      save(now);
      if (!position.isSaved()) {
        return position.saveAt();
      }
      last = position.now();
    }
    followers.forget(this);
    stopped.complete(last);
    return Optional.empty();
  }

  /** When to step next unless a report comes before; empty if only a report can make a step due. */
  private synchronized Optional<Instant> next() {
    boolean told = inFlight || waits || position.isFull();
    Optional<Instant> attempt = told ? Optional.empty() : position.notBefore();
    Optional<Instant> save = position.saveAt();
    if (attempt.isEmpty() || save.isEmpty()) {
      return attempt.or(() -> save);
    }
    return attempt.get().isBefore(save.get()) ? attempt : save;
  }

  private Optional<Instant> skip(LogConsumer from, long start, Instant now) {
    CompletableFuture<Boolean> recorded;
    synchronized (this) {
      recorded = position.skip(start, now);
    }
    // Not under the lock: earlier writes take it when they end.
    boolean found = recorded.join();
    synchronized (this) {
      if (!found) {
        ended = true;
        return Optional.of(now);
      }
      position.moved(start, 0, now);
    }
    log.atWarn()
        .addKeyValue("consumer", from.name())
        .addKeyValue("after", from.cursor())
        .addKeyValue("upTo", start)
        .log("Events left the log before they were read, or could not be read");
    sink.missed(from.cursor(), start);
    return Optional.of(now);
  }

  private synchronized Optional<Instant> pass(long from, long to, Instant now) {
    if (to == from) {
      return next();
    }
    position.moved(to, 0, now);
    return Optional.of(now);
  }

  private void handOn(Page page, int retries) {
    int asOf;
    synchronized (this) {
      if (ended) {
        return;
      }
      inFlight = true;
      asOf = freshness;
    }
    followers.entered(this, page.bytes(), page.after());
    var unused =
        take(page, retries)
            .whenComplete(
                (answer, failure) -> {
                  Answer what = failure == null ? answer : broken(failure);
                  settle(page, asOf, what);
                  followers.left(this);
                  if (what instanceof Answer.Part part) {
                    part.ready().whenComplete((ready, never) -> goOn());
                  }
                  rest();
                });
  }

  /** Leaves the follower alone until it is ready again, or the log grows behind its position. */
  private void rest() {
    OptionalLong readsAfter;
    Optional<Instant> until;
    synchronized (this) {
      readsAfter =
          inFlight || waits ? OptionalLong.empty() : OptionalLong.of(position.now().cursor());
      until = ended ? Optional.of(clock.instant()) : next();
    }
    followers.rest(this, readsAfter, until);
  }

  private void goOn() {
    synchronized (this) {
      waits = false;
    }
    followers.ready(this);
  }

  private CompletableFuture<Answer> take(Page page, int retries) {
    try {
      return sink.take(page.events(), page.more(), retries);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Answer broken(Throwable failure) {
    log.atError()
        .addKeyValue("consumer", name())
        .setCause(failure)
        .log("A batch of events could not be handed on");
    return new Answer.Failed("it could not be handed on: " + failure, Optional.empty());
  }

  private synchronized String name() {
    return position.now().name();
  }

  private synchronized void settle(Page page, int asOf, Answer answer) {
    Instant now = clock.instant();
    inFlight = false;
    if (answer instanceof Answer.Taken) {
      position.moved(page.to(), page.events().size(), now);
    } else if (answer instanceof Answer.Failed failed) {
      advance(page, failed.takenTo(), now);
      if (asOf != freshness) {
        return;
      }
      int failures = position.now().attempts() + 1;
      Instant again = backOff.next(now, failures, failed.retryAfter());
      position.failed(page.to(), again, failed.error(), now);
    } else if (answer instanceof Answer.Part part) {
      advance(page, part.takenTo(), now);
      waits = true;
    } else if (answer instanceof Answer.End end) {
      advance(page, end.takenTo(), now);
      ended = true;
    }
  }

  private void advance(Page page, long takenTo, Instant now) {
    if (takenTo > position.now().cursor()) {
      int events = (int) page.events().stream().filter(event -> event.seq() <= takenTo).count();
      position.moved(takenTo, events, now);
    }
  }

  private void save(Instant now) {
    int covers = position.unsaved();
    position.save(now).ifPresent(write -> whenWritten(write, covers));
  }

  private void whenWritten(CompletableFuture<Boolean> write, int covered) {
    var unused =
        write.whenComplete(
            (found, failure) -> {
              synchronized (this) {
                position.written(failure == null, covered, clock.instant());
                // The consumer was removed meanwhile, or another follower serves it: it is not this
                // follower's any more.
                ended = ended || (failure == null && !found);
              }
              rest();
            });
  }
}
