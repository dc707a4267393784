package io.feedbridge.gateway.web.console;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.web.console.kit.Assets;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.pages.AccessPages;
import io.feedbridge.gateway.web.console.pages.EventPages;
import io.feedbridge.gateway.web.console.pages.FeedPages;
import io.feedbridge.gateway.web.console.pages.HostPages;
import io.feedbridge.gateway.web.console.pages.ListPages;
import io.feedbridge.gateway.web.console.pages.LivePages;
import io.feedbridge.gateway.web.console.pages.PublishPages;
import io.feedbridge.gateway.web.console.pages.SearchPages;
import io.feedbridge.gateway.web.console.pages.SignInPages;
import io.feedbridge.gateway.web.console.pages.StartPage;
import io.feedbridge.gateway.web.console.pages.SubscriptionPages;
import io.feedbridge.gateway.web.console.pages.UpstreamPages;
import io.feedbridge.gateway.web.console.pages.WebhookPages;
import java.util.concurrent.CompletableFuture;

/** The pages that people see in a browser, from {@code /} on. */
public final class Console {

  /** Pages of one caller that are made at once. */
  public static final int PAGES_OF_ONE = 3;

  /** Threads that make pages; they wait for the API. */
  public static final int THREADS = PAGES_OF_ONE + 1;

  /** Requests for pages that wait for a thread. */
  public static final int QUEUE = 256;

  private final Assets assets;
  private final Desk desk;
  private final StartPage start;
  private final SearchPages search;
  private final SignInPages signIn;
  private final LivePages live;
  private final AccessPages access;

  /**
   * A console.
   *
   * @param assets the files of its pages
   * @param desk takes the requests
   */
  public Console(
      Assets assets,
      Desk desk,
      StartPage start,
      SearchPages search,
      SignInPages signIn,
      LivePages live,
      AccessPages access) {
    this.assets = assets;
    this.desk = desk;
    this.start = start;
    this.search = search;
    this.signIn = signIn;
    this.live = live;
    this.access = access;
  }

  /** Adds its routes, and the routes of the pages for publishers. */
  public Router.Builder addTo(Router.Builder routes, PublishPages publish) {
    routes.route(
        "GET",
        "/assets/{hash}/{name}",
        request -> CompletableFuture.completedFuture(assets.get(request)));
    start.addTo(routes, desk);
    signIn.addTo(routes, desk);
    new FeedPages().addTo(routes, desk);
    new EventPages().addTo(routes, desk);
    search.addTo(routes, desk);
    new SubscriptionPages().addTo(routes, desk);
    new HostPages().addTo(routes, desk);
    new WebhookPages().addTo(routes, desk);
    new ListPages().addTo(routes, desk);
    new UpstreamPages().addTo(routes, desk);
    live.addTo(routes, desk);
    publish.addTo(routes, desk);
    access.addTo(routes, desk);
    return routes;
  }
}
