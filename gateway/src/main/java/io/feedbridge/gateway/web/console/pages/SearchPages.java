package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.SearchView;
import io.feedbridge.gateway.web.console.kit.CallFailedException;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /search}: entries of all feeds by their words, and trackers made of such a search. */
public final class SearchPages {

  private static final int OK = 200;
  private static final String SECTION = "search";

  private final String trackers;

  /** The pages of a gateway under a URL. */
  public SearchPages(URI publicUrl) {
    trackers = publicUrl + TrackerPolicy.PATH + "?query=";
  }

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.getLater(routes, "/search", this::search);
  }

  private CompletionStage<Response> search(Visit visit) {
    String query = visit.query("q");
    if (query.isBlank()) {
      return CompletableFuture.completedFuture(page(visit, OK, "", null));
    }
    return visit
        .api()
        .getLater(Calls.path("/search", "q", query, "page", visit.query("page")), SearchView.class)
        .thenCompose(found -> visit.later(() -> page(visit, OK, "", found)))
        .exceptionally(failure -> refused(visit, CallFailedException.in(failure)));
  }

  private Response refused(Visit visit, CallFailedException call) {
    return page(visit, call.status(), FeedPages.reason(call, "q"), null);
  }

  private Response page(Visit visit, int status, String error, @Nullable SearchView found) {
    String query = visit.query("q");
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("query", query);
    values.put("tracker", trackers + PageLinks.of(query));
    values.put("error", error);
    values.put("found", found);
    return visit.page(status, "search", "Search", SECTION, values);
  }
}
