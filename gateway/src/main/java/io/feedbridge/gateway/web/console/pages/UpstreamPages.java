package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.RelayView;
import io.feedbridge.gateway.web.api.model.UpstreamView;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.util.Map;

/** {@code /upstreams}: the hubs and clouds that feeds are followed by. */
public final class UpstreamPages {

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/upstreams", UpstreamPages::list);
  }

  private static Response list(Visit visit) {
    PageLinks links = visit.filter("/upstreams");
    Listed<UpstreamView> found =
        visit
            .api()
            .list(Calls.path("/upstreams", "cursor", visit.query("cursor")), UpstreamView.class);
    Listed<RelayView> relays = visit.api().list("/relays", RelayView.class);
    return visit.page(
        "upstreams",
        "Hubs and clouds",
        "upstreams",
        Map.of("endpoints", found, "relays", relays.items(), "links", links));
  }
}
