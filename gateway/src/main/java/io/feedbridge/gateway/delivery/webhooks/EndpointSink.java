package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.log.LogSink;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one endpoint the events that its follower reads, and tracks its failures. Safe for use by
 * several threads.
 */
public final class EndpointSink implements LogSink {

  /** After so long a time of nothing but failures an endpoint is disabled. */
  static final Duration LONGEST_FAILURE = Duration.ofDays(5);

  /** Parts of that time, in percent, after which operators are told. */
  private static final List<Integer> TOLD_AT = List.of(50, 90);

  static final String FAILED_FOR_LONG = "every delivery failed for 5 days";
  private static final String GONE = "it answered 410 Gone";

  private static final Logger log = LoggerFactory.getLogger(EndpointSink.class);

  final Means means;
  final EndpointPermit permit;
  private volatile WebhookEndpoint endpoint;
  private volatile boolean closed;

  /** Events of the batch that were taken and lie behind others that were not. */
  private final Set<Long> taken = new HashSet<>();

  /** The document of which some messages are delivered, and how many are. */
  private @Nullable Begun begun;

  private int messagesDelivered;

  private @Nullable Instant failingSince;

  /** How many of {@link #TOLD_AT} operators were told of. */
  private int told;

  /** Until then the endpoint wants no further document. */
  private @Nullable Instant restsUntil;

  /** Whether the last batch could not hold all that was there: the rest follows at once. */
  private boolean overflowed;

  private CompletableFuture<Void> rested = new CompletableFuture<>();

  /**
   * A document as it is made for a state of the endpoint.
   *
   * @param seqs of its events
   */
  private record Begun(List<Long> seqs, long revision) {
    static Begun of(List<Event> document, WebhookEndpoint endpoint) {
      return new Begun(document.stream().map(Event::seq).toList(), endpoint.webhook().revision());
    }
  }

  /**
   * The parts that all endpoints share.
   *
   * @param executor for rendering and signing; has room for a task of each endpoint
   */
  public record Means(
      HostBulkheads windows,
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

  EndpointSink(Means means, WebhookEndpoint endpoint) {
    this.means = means;
    this.endpoint = endpoint;
    permit = new EndpointPermit(means.windows);
    failingSince = endpoint.webhook().failingSince();
    restsUntil = endpoint.webhook().restsUntil();
  }

  /** The endpoint as it is now; secret and filter are read when a document is sent (rule L7). */
  WebhookEndpoint endpoint() {
    return endpoint;
  }

  /** Uses other terms from the next document on. Another receiver has not failed yet. */
  void use(WebhookEndpoint other) {
    CompletableFuture<Void> over = null;
    synchronized (this) {
      if (!other.isAt(endpoint)) {
        failingSince = other.webhook().failingSince();
      }
      if (!other.wishes().equals(endpoint.wishes())) {
        restsUntil = null;
        over = rested;
      }
      endpoint = other;
    }
    if (over != null) {
      over.complete(null);
    }
  }

  /**
   * Whether the endpoint wants no document yet; then the result completes when it does. Events that
   * did not fit into its last batch are not held back.
   */
  synchronized Optional<CompletableFuture<Void>> rest() {
    Instant until = restsUntil;
    if (until == null || overflowed || !until.isAfter(means.now())) {
      return Optional.empty();
    }
    CompletableFuture<Void> over = new CompletableFuture<>();
    rested = over;
    means.timer().at(until, () -> over.complete(null));
    return Optional.of(over);
  }

  /** The pages of a document were brought; completes when that is durable. */
  CompletableFuture<Void> brought(
      WebhookEndpoint called, List<Event> document, EndpointDocuments.Made made) {
    Event newest = document.get(document.size() - 1);
    return made.pages().isEmpty()
        ? CompletableFuture.completedFuture(null)
        : means
            .webhooks
            .links()
            .add(called.id(), newest.feedId(), newest.seq(), made.pages())
            .exceptionally(
                failure -> {
                  log.atWarn()
                      .addKeyValue("webhook", called.id())
                      .addKeyValue("error", failure.getMessage())
                      .log("The pages of a document could not be recorded: they may come again");
                  return null;
                });
  }

  /**
   * The endpoint has taken a batch: it rests, if it was called and wishes so.
   *
   * @param called as it was called last; absent if nothing was news to it
   * @param more whether the batch could not hold all that was there
   */
  void rests(@Nullable WebhookEndpoint called, boolean more) {
    Duration every = called == null ? null : called.wishes().every();
    if (called == null || every == null) {
      synchronized (this) {
        overflowed &= more;
      }
      return;
    }
    Instant until = means.now().plus(every);
    synchronized (this) {
      restsUntil = until;
      overflowed = more;
    }
    var unused = means.webhooks.rests(called.id(), until);
  }

  /** Whether an endpoint that was called is still the receiver that was called. */
  boolean isStillAt(WebhookEndpoint called) {
    return endpoint.isAt(called);
  }

  boolean isClosed() {
    return closed;
  }

  /** Begins no further document; the one under way is still answered for. */
  void close() {
    closed = true;
    permit.close();
  }

  @Override
  public CompletableFuture<Answer> take(List<Event> events, boolean more, int retries) {
    EndpointBatch batch = new EndpointBatch(this, events, more, retries);
    batch.begin();
    return batch.answer();
  }

  @Override
  public boolean wantsFilled() {
    return endpoint.wishes().every() != null;
  }

  @Override
  public void missed(long after, long upTo) {
    permit.release();
  }

  synchronized boolean isTaken(Event event) {
    return taken.contains(event.seq());
  }

  synchronized void taken(List<Event> events) {
    events.forEach(event -> taken.add(event.seq()));
  }

  /** How many messages of a document are delivered: a retry goes on behind them. */
  synchronized int messagesDelivered(WebhookEndpoint called, List<Event> document) {
    return Begun.of(document, called).equals(begun) ? messagesDelivered : 0;
  }

  /**
   * One more message of a document is delivered.
   *
   * @param most the number of its messages
   * @return whether there are more
   */
  synchronized boolean messageDelivered(WebhookEndpoint called, List<Event> document, int most) {
    messagesDelivered = messagesDelivered(called, document) + 1;
    boolean more = messagesDelivered < most;
    begun = more ? Begun.of(document, called) : null;
    return more;
  }

  /** No document can be made of an event, which this endpoint is not sent therefore. */
  void skipped(Event event, String error) {
    means.post.skipped();
    means.activity.noteOfHost(
        Kind.NOTIFICATION, event.update().status().feed(), endpoint.host(), false, error);
    log.atError()
        .addKeyValue("webhook", endpoint.id())
        .addKeyValue("feed", event.feedId())
        .addKeyValue("event", event.seq())
        .addKeyValue("error", error)
        .log("No document can be made of an event: the webhook does not get it");
  }

  /** Forgets events up to a number: the follower has moved past them. */
  synchronized void forget(long upTo) {
    taken.removeIf(seq -> seq <= upTo);
  }

  /** A message was delivered to an endpoint. */
  void succeeded(WebhookEndpoint called) {
    synchronized (this) {
      if (failingSince == null || !isStillAt(called)) {
        return;
      }
      failingSince = null;
    }
    var unused = means.webhooks.failing(called.webhook(), null);
  }

  /** A message was not delivered; returns whether all have failed for {@link #LONGEST_FAILURE}. */
  boolean failedForTooLong(WebhookEndpoint called) {
    Instant now = means.now();
    Instant since;
    synchronized (this) {
      if (!isStillAt(called)) {
        return false;
      }
      if (failingSince != null) {
        tellOfFailure(failingSince, now);
        return !failingSince.plus(LONGEST_FAILURE).isAfter(now);
      }
      failingSince = now;
      told = 0;
      since = now;
    }
    var unused = means.webhooks.failing(called.webhook(), since);
    return false;
  }

  /** Tells operators at each of {@link #TOLD_AT}. Guarded by this. */
  private void tellOfFailure(Instant since, Instant now) {
    long share = Duration.between(since, now).toMillis() * 100 / LONGEST_FAILURE.toMillis();
    int due = (int) TOLD_AT.stream().filter(at -> at <= share).count();
    if (due > told && share < 100) {
      told = due;
      tell(
          Notice.Type.WEBHOOK_FAILING,
          "The webhook %d at %s has failed for %d hours; it is disabled after %d."
              .formatted(
                  endpoint.id(),
                  endpoint.host(),
                  Duration.between(since, now).toHours(),
                  LONGEST_FAILURE.toHours()));
    }
  }

  /** A webhook that is told of such events is told of no event that is about such a webhook. */
  private void tell(Notice.Type type, String text) {
    if (endpoint.webhook().terms().topics().stream().noneMatch(GatewayTopic::is)) {
      means.activity.tell(type, "", text);
    }
  }

  /** An endpoint answered that it wants no more. */
  CompletableFuture<Boolean> gone(WebhookEndpoint called) {
    return disable(called, GONE);
  }

  /**
   * Disables an endpoint: it is kept, shown, and sent nothing until it is enabled again.
   *
   * @param disabled the endpoint as it was called: the answer does not apply to one changed since
   * @return whether it is disabled; false where it was changed meanwhile
   */
  CompletableFuture<Boolean> disable(WebhookEndpoint disabled, String reason) {
    return means
        .webhooks
        .disableAsCalled(disabled.webhook(), reason, means.now())
        .thenApply(
            done -> {
              if (!done) {
                return false;
              }
              means.post.disabled();
              means.activity.note(
                  Kind.DROP, "", disabled.url(), false, "The webhook is disabled: " + reason);
              tell(
                  Notice.Type.WEBHOOK_DISABLED,
                  "The webhook %d at %s is disabled: %s."
                      .formatted(disabled.id(), disabled.host(), reason));
              log.atWarn()
                  .addKeyValue("webhook", disabled.id())
                  .addKeyValue("host", disabled.host())
                  .addKeyValue("reason", reason)
                  .log("A webhook is disabled");
              return true;
            });
  }
}
