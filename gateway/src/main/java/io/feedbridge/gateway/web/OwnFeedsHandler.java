package io.feedbridge.gateway.web;

import io.feedbridge.gateway.publish.OwnFeed;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Conditional;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The feeds that the gateway publishes itself, with validators. */
final class OwnFeedsHandler {

  private static final int NOT_FOUND = 404;

  private final TestFeed testFeed;
  private final SavedFeeds savedFeeds;
  private final CallerThreads blocking;

  OwnFeedsHandler(TestFeed testFeed, SavedFeeds savedFeeds, CallerThreads blocking) {
    this.testFeed = testFeed;
    this.savedFeeds = savedFeeds;
    this.blocking = blocking;
  }

  /** {@code GET /test/feed.xml}. */
  CompletionStage<Response> testFeed(Request request) {
    return blocking.supply(request, () -> served(request, testFeed.now()));
  }

  /** {@code GET /files/{user}/rss.xml}. */
  CompletionStage<Response> savedFeed(Request request) {
    String user = request.pathVariables().getOrDefault("user", "");
    return blocking.supply(
        request,
        () -> {
          Optional<OwnFeed> feed = savedFeeds.savedBy(user);
          return feed.map(saved -> served(request, saved))
              .orElseGet(() -> Response.text(NOT_FOUND, "no feed is saved here\n"));
        });
  }

  /** A stranger wrote it: a browser is to run nothing of it under the gateway's own address. */
  private static Response served(Request request, OwnFeed feed) {
    return Conditional.of(request, OwnFeed.CONTENT_TYPE, feed.rss(), feed.at())
        .withHeader("Content-Security-Policy", "default-src 'none'; sandbox")
        .withHeader("X-Content-Type-Options", "nosniff");
  }
}
