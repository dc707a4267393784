package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.OtherSite;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * {@code GET /stream}: the feeds' events, as they happen. Server-Sent Events, or lines of JSON
 * where {@code Accept} or {@code format=ndjson} asks for them; {@code topic=}, which may be
 * repeated, chooses feeds; {@code Last-Event-ID} or {@code after=} goes on behind an event.
 */
public final class StreamHandler {

  /** Feeds that one reader may name. */
  static final int MAX_TOPICS = 100;

  private static final int BAD_REQUEST = 400;
  private static final int UNAVAILABLE = 503;
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String RETRY_AFTER_SECONDS = "30";

  private final EventStream stream;
  private final Log log;
  private final Feeds feeds;
  private final PrivateFeeds privateFeeds;
  private final BridgedUrls bridges;
  private final AdminAccess access;
  private final boolean open;
  private final CallerThreads blocking;

  /**
   * A door to a stream.
   *
   * @param open whether everyone may read
   */
  public StreamHandler(
      EventStream stream,
      Store store,
      BridgedUrls bridges,
      AdminAccess access,
      boolean open,
      CallerThreads blocking) {
    this.stream = stream;
    log = store.log();
    feeds = store.feeds();
    privateFeeds = store.privateFeeds();
    this.bridges = bridges;
    this.access = access;
    this.open = open;
    this.blocking = blocking;
  }

  /** {@code GET /stream}. */
  public CompletionStage<Response> stream(Request request) {
    return refused(request)
        .orElseGet(() -> blocking.supply(request, () -> answer(request, Optional.empty())));
  }

  /** {@code GET /firehose}: the same as WebSocket, in the form of FeedLand's. */
  public CompletionStage<Response> firehose(Request request) {
    return refused(request).orElseGet(() -> shakeHands(request));
  }

  private CompletionStage<Response> shakeHands(Request request) {
    // A browser shows the credentials that it has, whichever page asks.
    if (!open && OtherSite.caused(request)) {
      return CompletableFuture.completedFuture(WebSocketHandshake.otherSite());
    }
    Optional<String> accept = WebSocketHandshake.accept(request);
    return accept.isEmpty()
        ? CompletableFuture.completedFuture(WebSocketHandshake.required())
        : blocking.supply(request, () -> answer(request, accept));
  }

  private Optional<CompletionStage<Response>> refused(Request request) {
    return (open ? Optional.<Response>empty() : access.refusal(request))
        .map(CompletableFuture::completedFuture);
  }

  /**
   * The answer to a reader.
   *
   * @param accept of a WebSocket; absent for a response
   */
  private Response answer(Request request, Optional<String> accept) {
    String key = blocking.key(request);
    if (stream.readers().isFull(key)) {
      return Answers.problem(
              UNAVAILABLE, "the stream has as many readers as it can serve, in all or of you")
          .withHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
    // A stream that is open to everyone has private feeds for operators alone.
    boolean operator = isOperator(request, accept);
    EventStream.Query query;
    try {
      query =
          new EventStream.Query(
              after(request),
              scope(request, operator),
              accept.isPresent() ? Wire.FIREHOSE : wire(request),
              updates(request));
    } catch (BadFieldException e) {
      return Answers.problem(BAD_REQUEST, "a parameter is wrong", e.error());
    }
    StreamCaller caller =
        new StreamCaller(
            key,
            open && !operator ? () -> true : () -> access.refusal(request).isEmpty(),
            operator ? feed -> false : privateFeeds::contains);
    Consumer<Outflow> content = out -> stream.serve(List.of(), query, caller, out);
    if (accept.isPresent()) {
      return Response.webSocket(accept.get(), content)
          .withHeader(LAST_EVENT_ID, Long.toString(query.after()));
    }
    Response response =
        Response.live(query.wire().contentType(), content)
            .withHeader("Cache-Control", "no-store")
            // A client that loses the connection before the first event can resume from here.
            .withHeader(LAST_EVENT_ID, Long.toString(query.after()))
            // Proxies of the kind of nginx collect a response unless told otherwise.
            .withHeader("X-Accel-Buffering", "no");
    return open ? response.withHeader("Access-Control-Allow-Origin", "*") : response;
  }

  /** A browser that shows the operator's credentials to a socket does so for any page. */
  private boolean isOperator(Request request, Optional<String> accept) {
    return access.refusal(request).isEmpty() && (accept.isEmpty() || !OtherSite.caused(request));
  }

  /** Where to go on; a number that the log has not reached yet stands for its end. */
  private long after(Request request) {
    Optional<String> inQuery = Page.parameter(request, "after");
    String name = inQuery.isPresent() ? "after" : LAST_EVENT_ID;
    Optional<String> value = inQuery.or(() -> request.header(LAST_EVENT_ID));
    long head = log.extent().head();
    if (value.isEmpty()) {
      return head;
    }
    if (!value.get().matches("\\d{1,18}")) {
      throw new BadFieldException(name, "it is not the id of an event");
    }
    return Math.min(Long.parseLong(value.get()), head);
  }

  private Log.Scope scope(Request request, boolean operator) {
    List<String> topics = new ArrayList<>(request.query().getOrDefault("topic", List.of()));
    topics.addAll(request.query().getOrDefault("list", List.of()));
    if (topics.isEmpty()) {
      return Log.Scope.ALL;
    }
    if (topics.size() > MAX_TOPICS) {
      throw new BadFieldException("topic", "at most " + MAX_TOPICS + " may be named");
    }
    Set<Long> ids = new HashSet<>();
    for (String topic : topics) {
      ids.add(
          feeds
              .byTopic(TopicField.of("topic", topic, bridges))
              .filter(feed -> operator || !privateFeeds.contains(feed.topic()))
              .map(FollowedFeed::id)
              .orElseThrow(
                  () -> new BadFieldException("topic", "the gateway does not follow " + topic)));
    }
    return new Log.Scope.Some(ids);
  }

  private static Wire wire(Request request) {
    Optional<String> format = Page.parameter(request, "format");
    if (format.isPresent()) {
      return switch (format.get()) {
        case "sse" -> Wire.SSE;
        case "ndjson" -> Wire.NDJSON;
        default -> throw new BadFieldException("format", "it must be sse or ndjson");
      };
    }
    boolean lines =
        request.headers().all("Accept").stream()
            .map(accept -> accept.toLowerCase(Locale.ROOT))
            .anyMatch(accept -> accept.contains("ndjson"));
    return lines ? Wire.NDJSON : Wire.SSE;
  }

  private static boolean updates(Request request) {
    String value = Page.parameter(request, "updates").orElse("false");
    if (!value.equals("true") && !value.equals("false")) {
      throw new BadFieldException("updates", "it must be true or false");
    }
    return value.equals("true");
  }
}
