package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.Webhooks;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one endpoint what its follower reads, and knows how it does. Safe for use by several
 * threads.
 */
final class EndpointSink implements LogSink {

  /** After so long a time of nothing but failures an endpoint is disabled. */
  static final Duration LONGEST_FAILURE = Duration.ofDays(5);

  static final String FAILED_FOR_LONG = "nothing got through for 5 days";
  private static final String GONE = "it answered 410 Gone";

  private static final Logger log = LoggerFactory.getLogger(EndpointSink.class);

  final Means means;
  final EndpointPlace place;
  private volatile Endpoint endpoint;
  private volatile boolean closed;

  /** Events of the batch that were taken and lie behind others that were not. */
  private final Set<Long> taken = new HashSet<>();

  private @Nullable Instant failingSince;

  /**
   * What all of them use.
   *
   * @param executor for rendering and signing; has room for a task of each endpoint
   */
  record Means(
      HostWindows windows,
      EndpointDocuments documents,
      EndpointPost post,
      Webhooks webhooks,
      ActivityLog activity,
      Executor executor,
      Timer timer) {

    Instant now() {
      return timer.clock().instant();
    }
  }

  EndpointSink(Means means, Endpoint endpoint) {
    this.means = means;
    this.endpoint = endpoint;
    place = new EndpointPlace(means.windows);
    failingSince = endpoint.webhook().failingSince();
  }

  /** As it is now; secret and filter are read when a document is sent (rule L7). */
  Endpoint endpoint() {
    return endpoint;
  }

  /** From the next document on. */
  void use(Endpoint other) {
    endpoint = other;
  }

  boolean isClosed() {
    return closed;
  }

  /** Begins no further document; the one under way is still answered for. */
  void close() {
    closed = true;
    place.close();
  }

  @Override
  public CompletableFuture<Answer> take(List<Event> events, int retries) {
    EndpointBatch batch = new EndpointBatch(this, events, retries);
    batch.begin();
    return batch.answer();
  }

  @Override
  public void missed(long after, long upTo) {
    place.release();
  }

  synchronized boolean isTaken(Event event) {
    return taken.contains(event.seq());
  }

  synchronized void taken(List<Event> events) {
    events.forEach(event -> taken.add(event.seq()));
  }

  /** Everything up to there is behind it. */
  synchronized void forget(long upTo) {
    taken.removeIf(seq -> seq <= upTo);
  }

  /** Something got through. */
  void succeeded() {
    synchronized (this) {
      if (failingSince == null) {
        return;
      }
      failingSince = null;
    }
    var unused = means.webhooks.failing(endpoint.id(), null);
  }

  /** Something did not; whether that is how it has been for too long. */
  boolean failedForTooLong() {
    Instant now = means.now();
    Instant since;
    synchronized (this) {
      if (failingSince != null) {
        return !failingSince.plus(LONGEST_FAILURE).isAfter(now);
      }
      failingSince = now;
      since = now;
    }
    var unused = means.webhooks.failing(endpoint.id(), since);
    return false;
  }

  /** It wants no more. */
  CompletableFuture<?> gone() {
    return disable(GONE);
  }

  /** It is kept, shown, and sent nothing until somebody enables it. */
  CompletableFuture<?> disable(String reason) {
    Endpoint disabled = endpoint;
    return means
        .webhooks
        .disable(disabled.id(), reason, means.now())
        .thenAccept(
            done -> {
              means.activity.note(
                  Kind.DROP, "", disabled.url(), false, "The webhook is disabled: " + reason);
              log.atWarn()
                  .addKeyValue("webhook", disabled.id())
                  .addKeyValue("host", disabled.host())
                  .addKeyValue("reason", reason)
                  .log("A webhook is disabled");
            });
  }
}
