package io.feedbridge.gateway.web;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.publish.BridgedDocument;
import io.feedbridge.gateway.publish.BridgedFeeds;
import io.feedbridge.gateway.publish.BridgedFeeds.Answer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.Conditional;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.gateway.web.console.pages.BridgedPages;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code GET /feed.atom}, {@code /feed.rss}, {@code /feed.json} with {@code ?url=}. */
public final class BridgedFeedHandler {

  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;
  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "30";
  private static final String SOON_SECONDS = "5";

  private final BridgedFeeds feeds;
  private final BridgedUrls urls;
  private final Admission admission;
  private final BridgedPages pages;
  private final Clock clock;

  /** The bridged feeds of a gateway under a URL. */
  public BridgedFeedHandler(
      BridgedFeeds feeds, URI publicUrl, Admission admission, BridgedPages pages, Clock clock) {
    this.clock = clock;
    this.pages = pages;
    this.admission = admission;
    this.feeds = feeds;
    urls = new BridgedUrls(publicUrl);
  }

  /** Adds their routes. */
  public Router.Builder addTo(Router.Builder routes) {
    Router.Builder all = routes;
    for (Kind kind : Kind.values()) {
      all = all.route("GET", kind.path(), GuardedHandler.of(request -> feed(request, kind)));
    }
    return all;
  }

  private CompletionStage<Response> feed(Request request, Kind kind) {
    String topic;
    try {
      topic = topic(request);
    } catch (BadBridgeException e) {
      return CompletableFuture.completedFuture(text(BAD_REQUEST, e.reason()));
    }
    if (topic.isEmpty()) {
      return CompletableFuture.completedFuture(
          text(BAD_REQUEST, "name the feed, once: " + kind.path() + "?url=https://…"));
    }
    Optional<String> refusal = admission.policies().strangerRefusal(topic);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(text(FORBIDDEN, refusal.get()));
    }
    return feeds
        .get(topic, kind, admission.key(request), admission.following(request, topic))
        .thenCompose(
            answer ->
                BridgedPages.isForPeople(request)
                    ? forPeople(request, topic, answer)
                    : CompletableFuture.completedFuture(response(request, answer)));
  }

  private String topic(Request request) {
    List<String> values = request.query().getOrDefault("url", List.of());
    return values.size() == 1 && !values.get(0).isEmpty() ? urls.topicOf(values.get(0)) : "";
  }

  private Response response(Request request, Answer answer) {
    if (answer instanceof Answer.Found found) {
      return served(request, found.document());
    }
    if (answer instanceof Answer.Missing missing) {
      return text(NOT_FOUND, missing.reason());
    }
    if (answer instanceof Answer.Gone gone) {
      return text(GONE, gone.reason());
    }
    if (answer instanceof Answer.TooMuch tooMuch) {
      return Admission.text(tooMuch.refusal());
    }
    if (answer instanceof Answer.Later later) {
      return text(Admission.TOO_MANY, later.reason()).withHeader("Retry-After", SOON_SECONDS);
    }
    return text(UNAVAILABLE, ((Answer.NotNow) answer).reason())
        .withHeader("Retry-After", RETRY_AFTER_SECONDS);
  }

  /** The page of a feed is made like the calls of a caller, which wait for one another. */
  private CompletionStage<Response> forPeople(Request request, String topic, Answer answer) {
    if (answer instanceof Answer.Found found) {
      return admission.inTurn(request, () -> pages.of(topic, found.document()));
    }
    Response plain = response(request, answer);
    Response page = pages.refused(plain.status(), topic, plain.bodyAsText().strip());
    return CompletableFuture.completedFuture(
        plain
            .headers()
            .first("Retry-After")
            .map(seconds -> page.withHeader("Retry-After", seconds))
            .orElse(page));
  }

  /** A stranger wrote it: a browser is to run nothing of it under the gateway's own address. */
  private Response served(Request request, BridgedDocument document) {
    return Conditional.of(
            request,
            document.contentType(),
            document.bytes(),
            document.tag(),
            document.lastModified(),
            clock.instant())
        .plusHeader("Vary", "Accept")
        .plusHeader("Link", "<%s>; rel=\"hub\"".formatted(document.hub()))
        .plusHeader("Link", "<%s>; rel=\"self\"".formatted(document.self()))
        .withHeader("Access-Control-Allow-Origin", "*")
        .withHeader("Content-Security-Policy", "default-src 'none'; sandbox")
        .withHeader("X-Content-Type-Options", "nosniff");
  }

  private static Response text(int status, String reason) {
    return Response.text(status, reason + "\n");
  }
}
