package io.feedbridge.gateway.relay;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.log.LogSink;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.websub.TopicUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tells one target of changes, one ping at a time. A target that is away, or asks for a pause, is
 * told later; a ping that it refuses is not repeated.
 */
final class Relay implements LogSink {

  /** Pings to one target in a minute. */
  static final int A_MINUTE = 120;

  /** Pings of one batch; the others follow in the next. */
  private static final int OF_BATCH = 20;

  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final int TOO_MANY = 429;
  private static final int TIMEOUT = 408;
  private static final int SERVER_ERRORS = 500;
  private static final int MAX_REASON = 200;

  private final RelayTarget target;
  private final RelayedPings.Parts parts;

  // Guarded by this.
  private Standing standing = new Standing(0, 0, null, null);
  private Instant windowEnd = Instant.MIN;
  private int inWindow;

  /**
   * The pings so far, since the start.
   *
   * @param problem of the newest ping; null if the target took it
   */
  record Standing(long sent, long refused, @Nullable Instant lastAt, @Nullable String problem) {}

  Relay(RelayTarget target, RelayedPings.Parts parts) {
    this.target = target;
    this.parts = parts;
  }

  RelayTarget target() {
    return target;
  }

  synchronized Standing standing() {
    return standing;
  }

  @Override
  public CompletableFuture<Answer> take(List<Event> events, boolean more, int retries) {
    return CompletableFuture.supplyAsync(() -> due(events), parts.blocking())
        .thenCompose(due -> tell(due, 0, 0));
  }

  /** The newest event of each feed that the target is told of, in order. Blocks. */
  private Deque<Event> due(List<Event> events) {
    Map<Long, Event> newest = new LinkedHashMap<>();
    for (Event event : events) {
      if (isWanted(event)) {
        newest.remove(event.feedId());
        newest.put(event.feedId(), event);
      }
    }
    newest.values().removeIf(this::cameFromTarget);
    return new ArrayDeque<>(newest.values());
  }

  private boolean isWanted(Event event) {
    String topic = topic(event);
    return !event.isOwn()
        && !event.update().isStatusAlone()
        && !parts.isOwn(topic)
        // No other server knows a part of a document.
        && TopicUrl.selection(topic).isEmpty()
        && target.feeds().permits(topic)
        && parts.publicFeeds().contains(topic)
        && !parts.store().privateFeeds().contains(topic);
  }

  private static String topic(Event event) {
    return event.update().status().feed();
  }

  /** A hub or cloud that tells the gateway of a feed is not told of it. */
  private boolean cameFromTarget(Event event) {
    boolean isHub = target.protocol() != RelayTarget.Protocol.GET;
    String base = target.url().replaceFirst("/(hub|ping|rsscloud/ping|RPC2)$", "");
    if (parts.passed().of(topic(event)).contains(base)) {
      parts
          .activity()
          .note(
              Activity.Kind.RELAY,
              topic(event),
              target.url(),
              true,
              "ping not passed on: the ping that came says that the server has had it");
      return true;
    }
    return isHub
        && parts.store().upstreamSubscriptions().ofFeed(event.feedId()).stream()
            .filter(following -> following.state() != UpstreamSubscription.State.REFUSED)
            .anyMatch(following -> WebAddress.hostOf(following.endpoint()).equals(target.host()));
  }

  /**
   * Sends the pings of a batch.
   *
   * @param takenTo the event of the ping before
   * @param sent pings of the batch so far
   */
  private CompletableFuture<Answer> tell(Deque<Event> due, long takenTo, int sent) {
    Event next = due.poll();
    if (next == null) {
      return done(Answer.TAKEN);
    }
    if (sent == OF_BATCH) {
      return done(new Answer.Part(takenTo, CompletableFuture.completedFuture(null)));
    }
    Optional<Instant> later = later();
    if (later.isPresent()) {
      CompletableFuture<Void> ready = new CompletableFuture<>();
      parts.timer().at(later.get(), () -> ready.complete(null));
      return done(new Answer.Part(takenTo, ready));
    }
    String topic = topic(next);
    return parts
        .client()
        .send(RelayCall.of(target, topic, next.update().feed(), parts.passed().onwards(topic)))
        .handle((reply, failure) -> failure == null ? read(topic, reply) : failed(topic, failure))
        .thenCompose(
            busy ->
                busy.isPresent()
                    ? done(new Answer.Failed(busy.get().error(), busy.get().retryAfter(), takenTo))
                    : tell(due, next.seq(), sent + 1));
  }

  private static CompletableFuture<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  /** When the next ping may be sent, if not now. */
  private synchronized Optional<Instant> later() {
    Instant now = parts.timer().clock().instant();
    if (!now.isBefore(windowEnd)) {
      windowEnd = now.plus(WINDOW);
      inWindow = 0;
    }
    if (inWindow >= A_MINUTE) {
      return Optional.of(windowEnd);
    }
    inWindow++;
    return Optional.empty();
  }

  /** The failure for which the ping is sent again; empty where it is not. */
  private Optional<Answer.Failed> read(String topic, Reply reply) {
    if (reply.successful()) {
      return report(topic, RelayCall.refusal(target, reply).map(Relay::shortened), false);
    }
    boolean again =
        reply.status() == TOO_MANY || reply.status() == TIMEOUT || reply.status() >= SERVER_ERRORS;
    Optional<String> problem = Optional.of("it answered with status " + reply.status());
    return report(topic, problem, again)
        .map(
            failed ->
                new Answer.Failed(
                    failed.error(), RetryAfter.of(reply, parts.timer().clock().instant())));
  }

  private Optional<Answer.Failed> failed(String topic, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return report(topic, Optional.of(shortened(String.valueOf(cause.getMessage()))), true);
  }

  private static String shortened(String text) {
    String line = text.replaceAll("\\s+", " ").strip();
    return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…";
  }

  private Optional<Answer.Failed> report(String topic, Optional<String> problem, boolean again) {
    synchronized (this) {
      standing =
          new Standing(
              standing.sent + (problem.isEmpty() ? 1 : 0),
              standing.refused + (problem.isPresent() && !again ? 1 : 0),
              parts.timer().clock().instant(),
              problem.orElse(null));
    }
    parts
        .activity()
        .note(
            Activity.Kind.RELAY,
            topic,
            target.url(),
            problem.isEmpty(),
            problem
                .map(why -> "ping passed on: " + why + (again ? "; it is sent again" : ""))
                .orElse("ping passed on by " + target.protocol().word()));
    return problem
        .filter(why -> again)
        .map(why -> new Answer.Failed(why, Optional.<Duration>empty()));
  }
}
