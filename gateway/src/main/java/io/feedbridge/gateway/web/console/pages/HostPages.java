package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.HostView;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import io.feedbridge.gateway.web.console.view.SubscriptionView;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code /hosts}: the hosts of callbacks, and the deliveries that wait at one of them. */
public final class HostPages {

  private static final String SECTION = "hosts";

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/hosts", HostPages::list);
    desk.get(routes, "/hosts/{host}", HostPages::host);
  }

  private static Response list(Visit visit) {
    PageLinks links = visit.filter("/hosts", "q", "state");
    String path =
        Calls.path(
            "/hosts",
            "q",
            links.value("q"),
            "state",
            links.value("state"),
            "cursor",
            visit.query("cursor"));
    return visit.page(
        "hosts",
        "Hosts",
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
