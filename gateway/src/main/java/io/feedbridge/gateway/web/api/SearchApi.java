package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Found;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Page;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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

  /**
   * A page of results.
   *
   * @param more whether older matches follow
   * @param complete false if the time was over before all was searched
   */
  private record Results(
      List<EntryView> items, int page, int byPage, boolean more, boolean complete) {}

  /**
   * An entry without its content, and its feed.
   *
   * @param eventId the event that brought it; absent for an entry that existed when following began
   */
  private record EntryView(
      String id,
      @Nullable String eventId,
      @Nullable String title,
      @Nullable String permalink,
      @Nullable Instant published,
      @Nullable Instant updated,
      @Nullable String language,
      FeedView feed) {}

  private record FeedView(String id, String topic, @Nullable String title) {}

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
                    new Results(
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

  private static EntryView view(Found found) {
    return new EntryView(
        found.entry().id(),
        found.seq() == null ? null : found.seq().toString(),
        found.entry().title(),
        found.entry().permalink(),
        found.entry().published(),
        found.entry().updated(),
        found.entry().language(),
        new FeedView(
            Long.toString(found.feed().id()),
            found.feed().topic(),
            found.feed().fetched().title()));
  }
}
