package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.fanout.LogSink.Answer;
import io.feedbridge.gateway.store.Event;
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

/**
 * One batch of events on its way to an endpoint: a document for each feed in it, one after the
 * other, in the order of their newest events. So each feed's events arrive in order, and the ids of
 * the documents grow. Where there is no place for the next document the batch ends before it, so
 * that whoever waits holds no events.
 *
 * <p>Steps follow one another, on whichever thread.
 */
final class EndpointBatch {

  /** How long a document rests for which the gateway itself had no room. */
  private static final Duration PAUSE_WHEN_SATURATED = Duration.ofSeconds(1);

  private final EndpointSink sink;
  private final List<Event> events;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final Deque<List<Event>> documents = new ArrayDeque<>();

  /** Of the first document; those behind it were never tried. */
  private int attempt;

  /**
   * A batch.
   *
   * @param retries of its first document that the endpoint has not got
   */
  EndpointBatch(EndpointSink sink, List<Event> events, int retries) {
    this.sink = sink;
    this.events = events;
    attempt = retries + 1;
  }

  CompletableFuture<Answer> answer() {
    return answer;
  }

  void begin() {
    Endpoint endpoint = sink.endpoint();
    // Most have to wait for a place while an event goes out to very many. Where a document is sent
    // in any case it is not even looked up before that.
    if (endpoint.filter().isEmpty()
        && events.stream().anyMatch(this::isMissing)
        && !sink.place.reserve(endpoint.host())) {
      answer.complete(part(sink.place.ready()));
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
      sink.place.release();
      answer.completeExceptionally(e);
    }
  }

  /** What it has not got, by feeds. */
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
      Endpoint endpoint = sink.endpoint();
      List<Event> document = documents.element();
      Optional<byte[]> body = sink.means.documents().of(document, endpoint);
      if (body.isPresent()) {
        Optional<HostWindows.Place> place = sink.place.take(endpoint.host());
        if (place.isEmpty()) {
          answer.complete(part(sink.place.ready()));
          return;
        }
        send(endpoint, document, body.get(), place.get());
        return;
      }
      taken(document);
    }
    end(Answer.TAKEN);
  }

  private void send(Endpoint endpoint, List<Event> document, byte[] body, HostWindows.Place place) {
    Event newest = document.get(document.size() - 1);
    var unused =
        sink.means
            .post()
            .send(
                endpoint,
                endpoint.message(newest.seq(), body),
                new EndpointPost.About(
                    Attempt.Kind.LOG, newest.update().status().feed(), newest.seq(), attempt))
            .thenAccept(
                result -> {
                  place.heard(Contact.of(result.failure()));
                  place.leave();
                  settle(document, result);
                });
  }

  private void settle(List<Event> document, EndpointPost.Result result) {
    switch (result.outcome()) {
      case DELIVERED -> {
        sink.succeeded();
        taken(document);
        if (documents.isEmpty()) {
          end(Answer.TAKEN);
        } else {
          go();
        }
      }
      case GONE -> endAfter(sink.gone(), result);
      case CUT_OFF -> end(new Answer.End(takenTo()));
      case SATURATED -> later();
      default -> {
        if (sink.failedForTooLong()) {
          endAfter(sink.disable(EndpointSink.FAILED_FOR_LONG), result);
        } else {
          end(failed(result));
        }
      }
    }
  }

  private void taken(List<Event> document) {
    sink.taken(document);
    documents.remove();
    attempt = 1;
  }

  /** It is disabled; where that could not be recorded it was just a failure. */
  private void endAfter(CompletableFuture<?> disabled, EndpointPost.Result result) {
    var unused =
        disabled.whenComplete(
            (done, failure) -> end(failure == null ? new Answer.End(takenTo()) : failed(result)));
  }

  private Answer failed(EndpointPost.Result result) {
    return new Answer.Failed(result.error(), result.retryAfter(), takenTo());
  }

  /** The gateway itself has no room now, which is nobody's failure. */
  private void later() {
    CompletableFuture<Void> over = new CompletableFuture<>();
    sink.means.timer().at(sink.means.now().plus(PAUSE_WHEN_SATURATED), () -> over.complete(null));
    end(part(over));
  }

  private Answer part(CompletionStage<?> ready) {
    long takenTo = takenTo();
    sink.forget(takenTo);
    return new Answer.Part(takenTo, ready);
  }

  /** Everything before the first event that it has not got. */
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
      sink.forget(newest(events));
    }
    sink.place.release();
    answer.complete(what);
  }
}
