package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.hosts.Reachability;
import io.feedbridge.gateway.delivery.laggards.CatchUp;
import io.feedbridge.gateway.delivery.send.DeliveryRecord;
import io.feedbridge.gateway.log.LogSink.Answer;
import io.feedbridge.gateway.store.log.Event;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One batch of events on its way to an endpoint: a document for each feed in it, one after the
 * other, in the order of their newest events. So each feed's events arrive in order, and the ids of
 * the documents grow. Where there is no permit for the next document the batch ends before it, so
 * that an endpoint that waits holds no events.
 *
 * <p>Steps follow one another, on whichever thread.
 */
final class EndpointBatch {

  /**
   * How long a document rests after the gateway itself had no room for it, or after its endpoint
   * was changed while it was called.
   */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Tries of a document that cannot be made. */
  static final int MAX_UNMAKEABLE = CatchUp.MAX_UNMAKEABLE;

  private final EndpointSink sink;
  private final List<Event> events;
  private final boolean more;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final Deque<List<Event>> documents = new ArrayDeque<>();

  /** The endpoint as it was called with the last document that it got; null before that. */
  private @Nullable WebhookEndpoint sent;

  /** The number of the attempt at the first document; later documents were never tried. */
  private int attempt;

  /**
   * A batch.
   *
   * @param more whether the log had further events, which did not fit
   * @param retries failed attempts at its first document so far
   */
  EndpointBatch(EndpointSink sink, List<Event> events, boolean more, int retries) {
    this.sink = sink;
    this.events = events;
    this.more = more;
    attempt = retries + 1;
  }

  CompletableFuture<Answer> answer() {
    return answer;
  }

  void begin() {
    WebhookEndpoint endpoint = sink.endpoint();
    Optional<CompletableFuture<Void>> rest =
        events.stream().anyMatch(this::isMissing) ? sink.rest() : Optional.empty();
    if (rest.isPresent()) {
      answer.complete(part(rest.get()));
      return;
    }
    // Most endpoints wait for a permit while an event goes out to very many. A document that is
    // sent in any case is looked up only once the permit is there.
    if (endpoint.filter().isEmpty()
        && events.stream().anyMatch(this::isMissing)
        && !sink.permit.reserve(endpoint)) {
      answer.complete(part(sink.permit.ready()));
    } else {
      go();
    }
  }

  private boolean isMissing(Event event) {
    return !sink.isTaken(event) && sink.endpoint().wants(event);
  }

  private void go() {
    try {
      sink.means.executor().execute(this::run);
    } catch (RejectedExecutionException e) {
      later();
    }
  }

  private void run() {
    try {
      if (documents.isEmpty()) {
        documents.addAll(split());
      }
      next();
    } catch (RuntimeException | Error e) {
      sink.permit.release();
      answer.completeExceptionally(e);
    }
  }

  /** The events that the endpoint has not got, by feeds. */
  private List<List<Event>> split() {
    Map<Long, List<Event>> feeds = new LinkedHashMap<>();
    for (Event event : events) {
      if (isMissing(event)) {
        feeds.computeIfAbsent(event.feedId(), id -> new ArrayList<>()).add(event);
      }
    }
    return feeds.values().stream().sorted(Comparator.comparingLong(EndpointBatch::newest)).toList();
  }

  private static long newest(List<Event> document) {
    return document.get(document.size() - 1).seq();
  }

  private void next() {
    while (!documents.isEmpty()) {
      if (sink.isClosed()) {
        end(new Answer.End(takenTo()));
        return;
      }
      WebhookEndpoint endpoint = sink.endpoint();
      List<Event> document = documents.element();
      Optional<EndpointDocuments.Made> made;
      try {
        made = sink.means.documents().of(document, endpoint);
      } catch (RuntimeException | Error e) {
        if (isToBeRetried(document, "it could not be made: " + e)) {
          end(new Answer.Failed("it could not be made: " + e, Optional.empty(), takenTo()));
          return;
        }
        continue;
      }
      if (made.isPresent()) {
        Optional<HostBulkheads.Permit> permit = sink.permit.take(endpoint);
        if (permit.isEmpty()) {
          answer.complete(part(sink.permit.ready()));
          return;
        }
        send(endpoint, document, made.get(), permit.get());
        return;
      }
      taken(document);
    }
    end(Answer.TAKEN);
  }

  /**
   * Decides about a document that cannot be made. After {@link #MAX_UNMAKEABLE} tries its events go
   * out one by one, and an event that cannot be made even so is skipped: other events, also of
   * other feeds, do not wait for it.
   */
  private boolean isToBeRetried(List<Event> document, String error) {
    if (attempt < MAX_UNMAKEABLE) {
      return true;
    }
    if (document.size() == 1) {
      sink.skipped(document.get(0), error);
      taken(document);
    } else {
      documents.remove();
      for (int i = document.size() - 1; i >= 0; i--) {
        documents.addFirst(List.of(document.get(i)));
      }
    }
    return false;
  }

  private void send(
      WebhookEndpoint endpoint,
      List<Event> document,
      EndpointDocuments.Made made,
      HostBulkheads.Permit permit) {
    Event newest = document.get(document.size() - 1);
    int part = sink.messagesDelivered(endpoint, document);
    var unused =
        sink.means
            .post()
            .send(
                endpoint,
                endpoint.message(newest.seq(), part, made.messages().get(part)),
                EndpointPost.attempt(endpoint, Attempt.Kind.LOG, newest, attempt))
            .thenAccept(
                result -> {
                  permit.heard(Reachability.of(result.failure()), endpoint.url());
                  permit.leave();
                  settle(endpoint, document, made, result);
                });
  }

  /** The answer counts for the URL and the revision that was called. */
  private void settle(
      WebhookEndpoint called,
      List<Event> document,
      EndpointDocuments.Made made,
      DeliveryRecord result) {
    switch (result.outcome()) {
      case DELIVERED -> {
        sink.succeeded(called);
        if (sink.messageDelivered(called, document, made.messages().size())) {
          go();
          return;
        }
        // Before the next document is made, which may have the same pages.
        var unused =
            sink.brought(called, document, made).thenRun(() -> delivered(called, document));
      }
      case GONE -> endAfter(sink.gone(called), called, result);
      case CUT_OFF -> end(new Answer.End(takenTo()));
      case SATURATED -> later();
      case UNMAKEABLE -> {
        if (isToBeRetried(document, result.error())) {
          end(failed(called, result));
        } else if (documents.isEmpty()) {
          end(Answer.TAKEN);
        } else {
          go();
        }
      }
      default -> {
        if (sink.failedForTooLong(called)) {
          endAfter(sink.disable(called, EndpointSink.FAILED_FOR_LONG), called, result);
        } else {
          end(failed(called, result));
        }
      }
    }
  }

  private void delivered(WebhookEndpoint called, List<Event> document) {
    sent = called;
    taken(document);
    if (documents.isEmpty()) {
      end(Answer.TAKEN);
    } else {
      go();
    }
  }

  private void taken(List<Event> document) {
    sink.taken(document);
    documents.remove();
    attempt = 1;
  }

  /**
   * Ends the batch once the endpoint is disabled. If that could not be recorded it counts as a
   * failure. An endpoint that was changed meanwhile is called again.
   */
  private void endAfter(
      CompletableFuture<Boolean> disabled, WebhookEndpoint called, DeliveryRecord result) {
    var unused =
        disabled.whenComplete(
            (done, failure) -> {
              if (failure != null) {
                end(failed(called, result));
              } else if (done) {
                end(new Answer.End(takenTo()));
              } else {
                later();
              }
            });
  }

  private Answer failed(WebhookEndpoint called, DeliveryRecord result) {
    return sink.isStillAt(called)
        ? new Answer.Failed(result.error(), result.result().retryAfter(), takenTo())
        : afterPause();
  }

  /**
   * Ends the batch: the gateway has no room now, or the endpoint has changed since it was called.
   */
  private void later() {
    end(afterPause());
  }

  private Answer afterPause() {
    CompletableFuture<Void> over = new CompletableFuture<>();
    sink.means.timer().at(sink.means.now().plus(PAUSE), () -> over.complete(null));
    return part(over);
  }

  private Answer part(CompletionStage<?> ready) {
    long takenTo = takenTo();
    sink.forget(takenTo);
    return new Answer.Part(takenTo, ready);
  }

  /** The number before the first event that the endpoint has not got. */
  private long takenTo() {
    for (Event event : events) {
      if (isMissing(event)) {
        return event.seq() - 1;
      }
    }
    return newest(events);
  }

  private void end(Answer what) {
    if (what == Answer.TAKEN) {
      sink.rests(sent, more);
      sink.forget(newest(events));
    }
    sink.permit.release();
    answer.complete(what);
  }
}
