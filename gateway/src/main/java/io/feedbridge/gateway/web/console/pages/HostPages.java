package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.HostView;
import io.feedbridge.gateway.web.api.model.OriginView;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code /hosts}: the hosts of callbacks, and the deliveries that wait at one of them; {@code
 * /origins}: the hosts of feeds.
 */
public final class HostPages {

  private static final String SECTION = "hosts";

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/hosts", HostPages::list);
    desk.get(routes, "/hosts/{host}", HostPages::host);
    desk.get(routes, "/origins", HostPages::origins);
    desk.get(routes, "/origins/{host}", HostPages::origin);
  }

  private static Response origins(Visit visit) {
    PageLinks links = visit.filter("/origins", "q", "state");
    return visit.page(
        "origins",
        "Hosts of feeds",
        SECTION,
        Map.of(
            "origins",
            visit.api().list(path("/origins", links, visit), OriginView.class),
            "links",
            links));
  }

  private static String path(String path, PageLinks links, Visit visit) {
    return Calls.path(
        path,
        "q",
        links.value("q"),
        "state",
        links.value("state"),
        "cursor",
        visit.query("cursor"));
  }

  private static Response origin(Visit visit) {
    String name = visit.request().pathVariables().getOrDefault("host", "");
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("name", name);
    values.put(
        "origin",
        visit.api().find("/origins/" + PageLinks.of(name), OriginView.class).orElse(null));
    values.put(
        "failing",
        visit
            .api()
            .list(
                Calls.path(
                    "/feeds",
                    "q",
                    "//" + name,
                    "state",
                    "error",
                    "limit",
                    "50",
                    "cursor",
                    visit.query("cursor")),
                FeedView.class));
    return visit.page("origin", name, SECTION, values);
  }

  private static Response list(Visit visit) {
    PageLinks links = visit.filter("/hosts", "q", "state");
    String path = path("/hosts", links, visit);
    return visit.page(
        "hosts",
        "Hosts of callbacks",
        SECTION,
        Map.of("hosts", visit.api().list(path, HostView.class), "links", links));
  }

  /** A host that the gateway knows no more has its subscriptions all the same. */
  private static Response host(Visit visit) {
    String name = visit.request().pathVariables().getOrDefault("host", "");
    Listed<SubscriptionView> behind =
        visit
            .api()
            .list(
                Calls.path(
                    "/subscriptions",
                    "state",
                    "lagging",
                    "q",
                    "//" + name,
                    "limit",
                    "50",
                    "cursor",
                    visit.query("cursor")),
                SubscriptionView.class);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("name", name);
    values.put(
        "host", visit.api().find("/hosts/" + PageLinks.of(name), HostView.class).orElse(null));
    values.put("behind", behind);
    return visit.page("host", name, SECTION, values);
  }
}
