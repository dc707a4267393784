package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Found;
import io.feedbridge.gateway.web.api.model.SearchView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Page;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /api/v1/search}: entries of all feeds that match a query, the newest first. */
final class SearchApi {

  private static final int OK = 200;
  private static final int UNPROCESSABLE = 422;
  private static final String QUERY = "q";

  private final Search search;
  private final CallerThreads callers;

  SearchApi(Search search, CallerThreads callers) {
    this.search = search;
    this.callers = callers;
  }

  /** {@code GET /search}. */
  CompletionStage<Response> search(Request request) {
    String text =
        Page.parameter(request, QUERY)
            .orElseThrow(() -> new BadFieldException(QUERY, "the words to search are missing"));
    int size = number(request, "by_page", Search.MAX_PAGE).orElse(Search.PAGE);
    int page = number(request, "page", Search.MAX_RESULTS / size).orElse(1);
    Query query;
    try {
      query = QueryParser.parse(text);
    } catch (BadQueryException e) {
      return CompletableFuture.completedFuture(
          Answers.problem(
              UNPROCESSABLE,
              "the query cannot be read",
              new BadFieldException(QUERY, e.reason()).error()));
    }
    return search
        .find(callers.key(request), query, page, size)
        .thenApply(
            result ->
                Answers.json(
                    OK,
                    new SearchView(
                        result.entries().stream().map(SearchApi::view).toList(),
                        page,
                        size,
                        result.more(),
                        result.complete())));
  }

  private static Optional<Integer> number(Request request, String name, int most) {
    return Page.parameter(request, name)
        .map(
            text -> {
              int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
              if (number < 1 || number > most) {
                throw new BadFieldException(name, "a number from 1 to " + most + " is needed");
              }
              return number;
            });
  }

  private static SearchView.Item view(Found found) {
    return new SearchView.Item(
        found.entry().id(),
        found.seq() == null ? null : found.seq().toString(),
        found.entry().title(),
        found.entry().permalink(),
        found.entry().published(),
        found.entry().updated(),
        found.entry().language(),
        new SearchView.Of(
            Long.toString(found.feed().id()),
            found.feed().topic(),
            found.feed().fetched().title()));
  }
}
