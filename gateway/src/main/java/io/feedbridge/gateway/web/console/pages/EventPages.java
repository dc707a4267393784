package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.EventView;
import io.feedbridge.gateway.web.api.model.RecipientView;
import io.feedbridge.gateway.web.console.kit.CallFailedException;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code /events/{seq}}: one event of the log, and where each subscriber stands with it. */
public final class EventPages {

  private static final int NOT_FOUND = 404;

  /** Characters of a document that a page shows. */
  private static final int MAX_DOCUMENT = 100_000;

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
    String format = EventView.FORMATS.contains(visit.query("format")) ? visit.query("format") : "";
    values.put("format", format);
    values.put("document", format.isEmpty() ? "" : document(visit, event.id(), format));
    return visit.page("event", event.name(), FeedPages.SECTION, values);
  }

  /** The document, or why there is none. */
  private static String document(Visit visit, String event, String format) {
    try {
      String text =
          visit.api().text(Calls.path("/events/" + event + "/document", "format", format));
      return text.length() <= MAX_DOCUMENT
          ? text
          : text.substring(0, MAX_DOCUMENT)
              + "\n… and %,d characters more".formatted(text.length() - MAX_DOCUMENT);
    } catch (CallFailedException e) {
      return e.detail();
    }
  }

  private static Optional<EventView> find(Visit visit, String seq) {
    return NUMBER.matcher(seq).matches()
        ? visit.api().find("/events/" + seq, EventView.class)
        : Optional.empty();
  }
}
