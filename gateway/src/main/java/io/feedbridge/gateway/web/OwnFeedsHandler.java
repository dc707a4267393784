package io.feedbridge.gateway.web;

import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.publish.OwnFeed;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.PublishedList;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Conditional;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The feeds that the gateway publishes itself, with validators. */
final class OwnFeedsHandler {

  private static final int NOT_FOUND = 404;

  private final TestFeed testFeed;
  private final SavedFeeds savedFeeds;
  private final ListDocuments lists;
  private final CallerThreads blocking;

  OwnFeedsHandler(
      TestFeed testFeed, SavedFeeds savedFeeds, ListDocuments lists, CallerThreads blocking) {
    this.testFeed = testFeed;
    this.savedFeeds = savedFeeds;
    this.lists = lists;
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

  /** {@code GET /lists/{name}.opml}. */
  CompletionStage<Response> list(Request request) {
    String file = request.pathVariables().getOrDefault("file", "");
    return blocking.supply(
        request,
        () ->
            lists
                .file(file)
                .map(list -> served(request, list))
                .orElseGet(() -> Response.text(NOT_FOUND, "no list is published here\n")));
  }

  private Response served(Request request, PublishedList list) {
    Response response =
        sandboxed(
            Conditional.of(
                request, ListDocuments.CONTENT_TYPE, lists.document(list), list.changedAt()));
    for (String link : lists.links(list.name())) {
      response = response.plusHeader("Link", link);
    }
    return response;
  }

  private static Response served(Request request, OwnFeed feed) {
    return sandboxed(Conditional.of(request, OwnFeed.CONTENT_TYPE, feed.rss(), feed.at()));
  }

  /** A stranger wrote it: a browser is to run nothing of it under the gateway's own address. */
  private static Response sandboxed(Response response) {
    return response
        .withHeader("Content-Security-Policy", "default-src 'none'; sandbox")
        .withHeader("X-Content-Type-Options", "nosniff");
  }
}
