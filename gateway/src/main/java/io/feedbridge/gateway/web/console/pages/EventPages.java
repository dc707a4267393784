package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.EventView;
import io.feedbridge.gateway.web.console.view.RecipientView;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code /events/{seq}}: one event of the log, and where each subscriber stands with it. */
public final class EventPages {

  private static final int NOT_FOUND = 404;
  private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,17}");

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/events/{seq}", EventPages::event);
  }

  private static Response event(Visit visit) {
    Optional<EventView> found = find(visit, visit.variable("seq"));
    if (found.isEmpty()) {
      return Desk.problem(
          visit, NOT_FOUND, "This event is not in the log; the log keeps events for some days.");
    }
    EventView event = found.get();
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("event", event);
    values.put("feed", SubscriptionPages.feed(visit, event.topic()).orElse(null));
    values.put(
        "recipients",
        visit
            .api()
            .list(
                Calls.path(
                    "/events/" + event.id() + "/deliveries",
                    "limit",
                    "50",
                    "cursor",
                    visit.query("cursor")),
                RecipientView.class));
    return visit.page("event", "Event " + event.id(), FeedPages.SECTION, values);
  }

  private static Optional<EventView> find(Visit visit, String seq) {
    return NUMBER.matcher(seq).matches()
        ? visit.api().find("/events/" + seq, EventView.class)
        : Optional.empty();
  }
}
