package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.publish.PastDocument;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongPredicate;

/** {@code hub.mode=search}: entries of all feeds that match a query, the newest first. */
final class SearchHandler {

  /** Tells whether older matches follow: true or false. */
  private static final String MORE = "Feedbridge-More";

  /** Tells whether the search had the time to look at all entries: true or false. */
  private static final String COMPLETE = "Feedbridge-Complete";

  private final Search search;
  private final PrivateFeeds privateFeeds;
  private final CallerThreads callers;
  private final String hubUrl;

  SearchHandler(Search search, PrivateFeeds privateFeeds, CallerThreads callers, String hubUrl) {
    this.privateFeeds = privateFeeds;
    this.search = search;
    this.callers = callers;
    this.hubUrl = hubUrl;
  }

  /**
   * Answers a call.
   *
   * @throws HubRefusal if it is refused
   */
  CompletionStage<Response> search(HubCaller caller, Request request, HubParameters parameters) {
    String text =
        parameters
            .single("query")
            .orElseThrow(() -> HubRefusal.unprocessable("query is missing: the words to search"));
    Query query;
    try {
      query = QueryParser.parse(text);
    } catch (BadQueryException e) {
      throw HubRefusal.unprocessable("query: " + e.reason());
    }
    int size = parameters.number("by_page", 1, Search.MAX_PAGE).orElse(Search.PAGE);
    int page = parameters.number("page", 1, Search.MAX_RESULTS / size).orElse(1);
    RetrieveHandler.Query form = RetrieveHandler.form(request, parameters);
    return search
        .find(key(caller, request), query, hidden(caller), page, size)
        .thenApply(
            result ->
                RetrieveHandler.answer(request, form, document(text, result))
                    .withHeader(MORE, Boolean.toString(result.more()))
                    .withHeader(COMPLETE, Boolean.toString(result.complete())));
  }

  private LongPredicate hidden(HubCaller caller) {
    return caller.login() == null ? feed -> false : privateFeeds::contains;
  }

  /** A login is one caller, from wherever it calls. */
  private String key(HubCaller caller, Request request) {
    return caller.login() == null ? callers.key(request) : "login " + caller.login();
  }

  private PastDocument document(String text, Search.Result result) {
    List<Entry> entries =
        result.entries().stream()
            .map(one -> one.entry().withSource(Source.of(one.fields(), one.feed().status())))
            .toList();
    Feed feed = Feed.bare(hubUrl, "Search: " + text);
    return new PastDocument(feed.withEntries(entries), Status.of(hubUrl), Instant.EPOCH);
  }
}
