package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.EventView;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.Stats;
import io.feedbridge.gateway.web.api.model.WebhookView;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Attention;
import io.feedbridge.gateway.web.console.view.StatsView;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /}: the troubles and figures for operators, an introduction for other visitors. */
public final class StartPage {

  /** Pages that are open and look again must cost no more than one. */
  private static final Duration KEPT = Duration.ofSeconds(2);

  private final BridgedUrls bridges;
  private final Supplier<String> health;
  private volatile @Nullable Found found;

  private record Found(Instant at, List<Attention> troubles) {}

  /**
   * The page.
   *
   * @param health why the store cannot be written; empty where it can
   */
  public StartPage(URI publicUrl, Supplier<String> health) {
    bridges = new BridgedUrls(publicUrl);
    this.health = health;
  }

  /** Adds its routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.open(routes, "/", this::start);
    desk.open(routes, "/connect", this::welcome);
    desk.get(routes, "/attention", this::attention);
    desk.get(routes, "/figures", StartPage::figures);
  }

  private Response start(Visit visit) {
    return visit.standing().operator() ? overview(visit) : welcome(visit);
  }

  /** How to connect; with {@code feed}, the URLs of its bridged feeds too. Nothing is fetched. */
  private Response welcome(Visit visit) {
    String feed = visit.query("feed");
    List<String> urls = List.of();
    String error = "";
    if (!feed.isEmpty()) {
      try {
        String topic = bridges.topicOf(feed);
        urls = Stream.of(BridgedUrl.Kind.values()).map(kind -> bridges.of(topic, kind)).toList();
      } catch (BadBridgeException e) {
        error = e.reason();
      }
    }
    return visit.page(
        "welcome",
        "Connect",
        "connect",
        Map.of("base", bridges.base(), "feed", feed, "urls", urls, "error", error));
  }

  private Response overview(Visit visit) {
    boolean empty =
        visit.api().list("/feeds?limit=1", FeedView.class).items().isEmpty()
            && visit.api().list("/webhooks?limit=1", WebhookView.class).items().isEmpty();
    return visit.page(
        "start",
        "Start",
        "start",
        Map.of(
            "stats",
            new StatsView(visit.api().get("/stats", Stats.class)),
            "events",
            visit.api().list("/events?order=newest&limit=10", EventView.class).items(),
            "troubles",
            fresh(visit),
            "health",
            health.get(),
            "empty",
            empty,
            "base",
            bridges.base()));
  }

  /** The figures, which the start page loads again each minute. */
  private static Response figures(Visit visit) {
    return visit.page(
        "figures",
        "Figures",
        "start",
        Map.of("stats", new StatsView(visit.api().get("/stats", Stats.class))));
  }

  /** The troubles as they are now: an operator looks for the effect of an action. */
  private List<Attention> fresh(Visit visit) {
    Found now = new Found(visit.text().now(), new Troubles(visit.api(), visit.text()).all());
    found = now;
    return now.troubles();
  }

  /** The troubles as the last page found them, unless that was long ago. */
  private List<Attention> recent(Visit visit) {
    Found last = found;
    return last == null || !visit.text().now().isBefore(last.at().plus(KEPT))
        ? fresh(visit)
        : last.troubles();
  }

  /** The part of the start page that is loaded again and again. */
  private Response attention(Visit visit) {
    return visit.page(
        "attention", "Attention", "", Map.of("troubles", recent(visit), "health", health.get()));
  }
}
