package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.ListView;
import io.feedbridge.gateway.web.console.kit.CallFailedException;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code /published}: the lists of feeds that the gateway publishes. */
public final class ListPages {

  private static final String SECTION = "published";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/published", visit -> all(visit, OK, Map.of()));
    desk.post(routes, "/published", ListPages::publish);
    desk.get(routes, "/published/{name}", visit -> one(visit, OK, Map.of()));
    desk.post(routes, "/published/{name}/add", ListPages::add);
    desk.post(routes, "/published/{name}/take", ListPages::take);
    desk.post(routes, "/published/{name}/remove", ListPages::remove);
  }

  private static Response all(Visit visit, int status, Map<String, String> errors) {
    Listed<ListView> lists =
        visit
            .api()
            .list(
                Calls.path("/lists", "limit", "100", "cursor", visit.query("lists")),
                ListView.class);
    return visit.page(
        status, "published", "Lists", SECTION, Map.of("lists", lists, "errors", errors));
  }

  private static Response publish(Visit visit) {
    String name = visit.field("name");
    Map<String, Object> fields = new HashMap<>(Map.of("feeds", feeds(visit.field("feeds"))));
    if (!visit.field("title").isBlank()) {
      fields.put("title", visit.field("title"));
    }
    try {
      if (visit.api().find("/lists/" + PageLinks.of(name), ListView.class).isPresent()) {
        return all(visit, OK, Map.of("name", "There is a list of this name: choose another one."));
      }
      visit.api().run("PUT", "/lists/" + PageLinks.of(name), fields);
      return Visit.go("/published/" + name, "list-published");
    } catch (CallFailedException e) {
      return all(visit, e.status(), errors(e));
    }
  }

  private static Map<String, String> errors(CallFailedException e) {
    return e.errors().isEmpty() ? Map.of("list", e.detail()) : e.errors();
  }

  /** A feed on each line: its URL, and after a blank its title. */
  private static List<Map<String, String>> feeds(String lines) {
    return lines
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .map(line -> line.split("\\s+", 2))
        .map(
            parts ->
                parts.length == 1
                    ? Map.of("url", parts[0])
                    : Map.of("url", parts[0], "title", parts[1]))
        .toList();
  }

  private static String path(Visit visit) {
    return "/lists/" + PageLinks.of(visit.variable("name"));
  }

  private static Response one(Visit visit, int status, Map<String, String> errors) {
    Optional<ListView> list = visit.api().find(path(visit), ListView.class);
    return list.map(
            found ->
                visit.page(
                    status,
                    "publishedone",
                    found.title(),
                    SECTION,
                    Map.of("list", found, "errors", errors)))
        .orElseGet(() -> Desk.problem(visit, NOT_FOUND, "No list of this name is published."));
  }

  private static Response add(Visit visit) {
    return change(visit, Map.of("add", feeds(visit.field("feeds"))));
  }

  private static Response take(Visit visit) {
    return change(visit, Map.of("remove", List.of(visit.field("url"))));
  }

  private static Response change(Visit visit, Map<String, ?> fields) {
    try {
      visit.api().run("PATCH", path(visit), fields);
      return Visit.go("/published/" + visit.variable("name"), "list-changed");
    } catch (CallFailedException e) {
      return one(visit, e.status(), errors(e));
    }
  }

  private static Response remove(Visit visit) {
    visit.api().run("DELETE", path(visit));
    return Visit.go("/published", "list-removed");
  }
}
