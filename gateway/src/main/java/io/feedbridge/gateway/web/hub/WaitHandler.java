package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.publish.PastDocument;
import io.feedbridge.gateway.publish.PastEntries;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.stream.EventStream;
import io.feedbridge.gateway.web.stream.StreamCaller;
import io.feedbridge.gateway.web.stream.Wire;
import io.feedbridge.normalizer.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;

/**
 * {@code wait=stream} and {@code wait=poll}: a retrieve that goes on with new entries, or waits for
 * them. Both begin behind the entry that {@code after} names, or with the next new entry.
 */
final class WaitHandler {

  /** How long a poll waits for entries; then it is answered without. */
  static final Duration POLL_WAIT = Duration.ofSeconds(50);

  /** Past entries that are written together, before the stream goes on live. */
  private static final int PIECE = 5;

  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "30";
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String EVENTS = "text/event-stream";

  private final EventStream stream;
  private final Log log;
  private final HubAccess access;
  private final RetrieveHandler retrieve;
  private final Admission admission;
  private final CallerThreads blocking;

  WaitHandler(
      EventStream stream,
      Log log,
      HubAccess access,
      RetrieveHandler retrieve,
      Admission admission,
      CallerThreads blocking) {
    this.stream = stream;
    this.log = log;
    this.access = access;
    this.retrieve = retrieve;
    this.admission = admission;
    this.blocking = blocking;
  }

  private static Log.Scope scope(RetrieveHandler.Query query) {
    return new Log.Scope.Some(
        query.feeds().stream().map(FollowedFeed::id).collect(Collectors.toSet()));
  }

  /**
   * Answers at once if there is something after {@code after}, otherwise with the next entries, or
   * with none after {@link #POLL_WAIT}. The caller's right is checked again after the wait.
   */
  CompletionStage<Response> poll(Request read, RetrieveHandler.Query query) {
    Request request = read.withoutBody();
    long now = log.extent().head();
    PastEntries.Choice choice = query.choice();
    if (choice.after().isPresent() || choice.before().isPresent()) {
      PastDocument there = retrieve.choose(query, choice);
      if (!there.isEmpty()) {
        check(request, query);
        return CompletableFuture.completedFuture(RetrieveHandler.answer(request, query, there));
      }
    }
    PastEntries.Choice next =
        choice.after().isPresent() ? choice : choice.between(now, Long.MAX_VALUE);
    try {
      return stream
          .next(now, scope(query), admission.key(request), POLL_WAIT)
          .thenCompose(
              come ->
                  blocking.supply(
                      request,
                      () -> {
                        PastDocument found = retrieve.choose(query, next);
                        check(request, query);
                        return RetrieveHandler.answer(request, query, found);
                      }));
    } catch (RejectedExecutionException full) {
      return CompletableFuture.completedFuture(full());
    }
  }

  /**
   * Checks that the caller of a request may read still, as when the call began. Blocks.
   *
   * @throws HubRefusal if it may not
   */
  private void check(Request request, RetrieveHandler.Query query) {
    retrieve.check(access.caller(request).with(Right.RETRIEVE), query);
  }

  private boolean mayRead(Request request, RetrieveHandler.Query query) {
    try {
      check(request, query);
      return true;
    } catch (HubRefusal ended) {
      return false;
    }
  }

  private static Response full() {
    return Response.text(UNAVAILABLE, "as many requests wait for entries as can be served\n")
        .withHeader("Retry-After", RETRY_AFTER_SECONDS);
  }

  /** Writes the past entries asked for, then new ones for as long as the client listens. */
  Response stream(Request read, RetrieveHandler.Query query, boolean updates) {
    Request request = read.withoutBody();
    StreamCaller caller = new StreamCaller(admission.key(request), () -> mayRead(request, query));
    if (stream.readers().isFull(caller.key())) {
      return full();
    }
    Wire wire = wire(request);
    long now = log.extent().head();
    Optional<Long> resumed = resumed(request).map(id -> Math.min(id, now));
    boolean past = resumed.isEmpty() && (query.choice().after().isPresent() || query.counted());
    List<byte[]> first =
        past ? pieces(retrieve.choose(query, allUpTo(query, now)), wire, now) : List.of();
    EventStream.Query live =
        new EventStream.Query(resumed.orElse(now), scope(query), wire, updates);
    return Response.live(wire.contentType(), out -> stream.serve(first, live, caller, out))
        .withHeader("Cache-Control", "no-store")
        .withHeader(LAST_EVENT_ID, Long.toString(live.after()))
        // Proxies of the kind of nginx collect a response unless told otherwise.
        .withHeader("X-Accel-Buffering", "no");
  }

  /** Behind an entry nothing is to be missing, unless a number is asked for. */
  private static PastEntries.Choice allUpTo(RetrieveHandler.Query query, long now) {
    PastEntries.Choice choice = query.choice();
    int count = query.counted() ? choice.count() : PastEntries.MAX;
    return new PastEntries.Choice(count, choice.before(), choice.after()).upTo(now);
  }

  private static Wire wire(Request request) {
    boolean events =
        request.headers().all("Accept").stream()
            .anyMatch(accept -> accept.toLowerCase(Locale.ROOT).contains(EVENTS));
    return events ? Wire.NOTIFICATIONS : Wire.NDJSON;
  }

  /** Where a browser goes on by itself that had lost the connection. */
  private static Optional<Long> resumed(Request request) {
    Optional<String> id = request.header(LAST_EVENT_ID);
    if (id.isPresent() && !id.get().matches("\\d{1,18}")) {
      throw HubRefusal.unprocessable(LAST_EVENT_ID + " is not the id of an event");
    }
    return id.map(Long::parseLong);
  }

  /** The entries in pieces, the oldest first; a client can resume only from the last piece. */
  private static List<byte[]> pieces(PastDocument document, Wire wire, long now) {
    List<Entry> entries = document.feed().entries();
    List<byte[]> pieces = new ArrayList<>();
    for (int end = entries.size(); end > 0; end -= PIECE) {
      int begin = Math.max(0, end - PIECE);
      byte[] json = document.with(entries.subList(begin, end)).json();
      pieces.add(begin == 0 ? wire.document(now, json) : wire.document(json));
    }
    return pieces;
  }
}
