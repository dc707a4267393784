package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.DeliveryView;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /subscriptions}: all subscriptions, and one of them with its deliveries. */
public final class SubscriptionPages {

  private static final String SECTION = "subscriptions";
  private static final int NOT_FOUND = 404;

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/subscriptions", SubscriptionPages::list);
    desk.get(routes, "/subscriptions/{id}", SubscriptionPages::subscription);
    desk.get(
        routes,
        "/subscriptions/{id}/deliveries/{delivery}",
        visit -> delivery(visit, "/subscriptions/", SECTION));
    desk.postLater(
        routes,
        "/subscriptions/{id}/deliveries/{delivery}/resend",
        visit -> resend(visit, "/subscriptions/"));
    desk.post(routes, "/subscriptions/{id}/retry", SubscriptionPages::retry);
    desk.post(routes, "/subscriptions/{id}/end", SubscriptionPages::end);
  }

  private static Response list(Visit visit) {
    PageLinks links = visit.filter("/subscriptions", "protocol", "state", "topic", "q");
    Listed<SubscriptionView> found =
        visit
            .api()
            .list(
                Calls.path(
                    "/subscriptions",
                    "protocol",
                    links.value("protocol"),
                    "state",
                    links.value("state"),
                    "topic",
                    links.value("topic"),
                    "q",
                    links.value("q"),
                    "page",
                    visit.query("page"),
                    "total",
                    "true"),
                SubscriptionView.class);
    return visit.page(
        "subscriptions",
        "Subscriptions",
        SECTION,
        Map.of("subscriptions", found, "pages", visit.pages(links, found)));
  }

  private static Response subscription(Visit visit) {
    String path = "/subscriptions/" + visit.variable("id");
    Optional<SubscriptionView> found = visit.api().find(path, SubscriptionView.class);
    if (found.isEmpty()) {
      return Desk.problem(visit, NOT_FOUND, "There is no such subscription; it may have ended.");
    }
    Listed<DeliveryView> deliveries =
        visit
            .api()
            .list(
                Calls.path(path + "/deliveries", "cursor", visit.query("cursor")),
                DeliveryView.class);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("subscription", found.get());
    values.put("deliveries", deliveries);
    values.put("feed", feed(visit, found.get()).orElse(null));
    return visit.page("subscription", "Subscription", SECTION, values);
  }

  /** The page of a delivery to a subscriber whose pages begin with a path. */
  static Response delivery(Visit visit, String pages, String section) {
    String path = pages + visit.variable("id");
    return visit
        .api()
        .find(path + "/deliveries/" + visit.variable("delivery"), DeliveryView.One.class)
        .map(one -> visit.page("delivery", "Delivery", section, Map.of("path", path, "one", one)))
        .orElseGet(
            () ->
                Desk.problem(
                    visit, NOT_FOUND, "This delivery is not on record any more, or never was."));
  }

  /** Sends a delivery's event once more, and goes to the page of the new delivery. */
  static CompletionStage<Response> resend(Visit visit, String pages) {
    String deliveries = pages + visit.variable("id") + "/deliveries/";
    return visit
        .api()
        .postLater(deliveries + visit.variable("delivery") + "/resend", DeliveryView.One.class)
        .thenApply(one -> Visit.go(deliveries + one.delivery().id(), "resent"));
  }

  private static Optional<FeedView> feed(Visit visit, SubscriptionView subscription) {
    String topic = subscription.topic();
    return topic == null || topic.equals("*") ? Optional.empty() : feed(visit, topic);
  }

  /** The feed of a topic, if it is followed. */
  static Optional<FeedView> feed(Visit visit, String topic) {
    return visit.api().list(Calls.path("/feeds", "url", topic), FeedView.class).items().stream()
        .findFirst();
  }

  private static Response retry(Visit visit) {
    String path = "/subscriptions/" + visit.variable("id");
    visit.api().run("POST", path + "/retry");
    return Visit.go(path, "retried");
  }

  private static Response end(Visit visit) {
    visit.api().run("DELETE", "/subscriptions/" + visit.variable("id"));
    return Visit.go("/subscriptions", "ended");
  }
}
