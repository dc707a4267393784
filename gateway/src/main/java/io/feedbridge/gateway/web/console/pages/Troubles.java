package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import io.feedbridge.gateway.web.api.model.UpstreamView;
import io.feedbridge.gateway.web.api.model.WebhookView;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.view.Attention;
import io.feedbridge.gateway.web.console.view.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Finds the troubles that need the operator, by calls of the API. */
final class Troubles {

  /** Cases of each kind that the start page shows. */
  static final int SHOWN = 5;

  /** New feeds among which failing ones are looked for. */
  private static final int LOOKED_AT = 50;

  /** Hubs and clouds among which demoted ones are looked for. */
  private static final int ENDPOINTS = 500;

  private final Calls api;
  private final Text text;

  Troubles(Calls api, Text text) {
    this.api = api;
    this.text = text;
  }

  /** The kinds of trouble that there are, the gravest first. */
  List<Attention> all() {
    return Stream.of(
            feeds("error"),
            unread(),
            webhooks(),
            subscribers(),
            endpoints(),
            feeds("gone"),
            pending())
        .filter(kind -> !kind.cases().isEmpty())
        .toList();
  }

  private static String limited(String path, String name, String value) {
    return Calls.path(path, name, value, "limit", Integer.toString(SHOWN));
  }

  private Attention feeds(String state) {
    List<Attention.Case> cases = new ArrayList<>();
    for (FeedView feed : api.list(limited("/feeds", "state", state), FeedView.class).items()) {
      cases.add(fetchable(feed));
    }
    return state.equals("gone")
        ? new Attention(
            "Feeds that are gone",
            "The origin says that these feeds do not exist any more. Unfollow a feed that does not"
                + " come back.",
            "/feeds?state=gone",
            cases)
        : new Attention(
            "Feeds in error",
            "The last fetches of these feeds failed. The gateway tries again by itself, less and"
                + " less often.",
            "/feeds?state=error",
            cases);
  }

  private static Attention.Case fetchable(FeedView feed) {
    String path = "/feeds/" + feed.id();
    return new Attention.Case(feed.name(), path, cause(feed), path + "/refresh", "Fetch now");
  }

  /** A feed whose first fetches fail stays a new one. */
  private Attention unread() {
    List<Attention.Case> cases =
        api
            .list(
                Calls.path("/feeds", "state", "new", "limit", Integer.toString(LOOKED_AT)),
                FeedView.class)
            .items()
            .stream()
            .filter(feed -> feed.time("lastFetch") != null)
            .limit(SHOWN)
            .map(Troubles::fetchable)
            .toList();
    return new Attention(
        "Feeds that could not be read yet",
        "The first fetches of these feeds failed. Check their URLs.",
        "/feeds?state=new",
        cases);
  }

  private static String cause(FeedView feed) {
    if (feed.problem() != null) {
      return feed.problem();
    }
    String http = feed.status("http");
    return http.isEmpty() ? "The last fetch failed." : http;
  }

  private Attention webhooks() {
    List<Attention.Case> cases =
        api.list(limited("/webhooks", "state", "disabled"), WebhookView.class).items().stream()
            .map(
                webhook ->
                    new Attention.Case(
                        webhook.name(),
                        "/webhooks/" + webhook.id(),
                        webhook.reason() == null
                            ? "It is disabled."
                            : "It is disabled: " + webhook.reason() + ".",
                        "/webhooks/" + webhook.id() + "/enable",
                        "Enable"))
            .toList();
    return new Attention(
        "Webhooks that are disabled",
        "A disabled webhook is sent nothing. After Enable it is sent the events since its place in"
            + " the log.",
        "/webhooks?state=disabled",
        cases);
  }

  private Attention pending() {
    List<Attention.Case> cases =
        api.list(limited("/webhooks", "state", "pending"), WebhookView.class).items().stream()
            .map(
                webhook ->
                    new Attention.Case(
                        webhook.name(),
                        "/webhooks/" + webhook.id(),
                        webhook.reason() == null
                            ? "Its URL has not answered the verification yet."
                            : "Its URL has not answered the verification: "
                                + webhook.reason()
                                + ".",
                        "/webhooks/" + webhook.id() + "/retry",
                        "Verify now"))
            .toList();
    return new Attention(
        "Webhooks that wait for their verification",
        "The URL must answer the verification before it is sent events.",
        "/webhooks?state=pending",
        cases);
  }

  private Attention subscribers() {
    List<Attention.Case> cases =
        api
            .list(limited("/subscriptions", "state", "lagging"), SubscriptionView.class)
            .items()
            .stream()
            .map(
                one ->
                    new Attention.Case(
                        one.callback(),
                        "/subscriptions/" + one.id(),
                        behind(one),
                        "/subscriptions/" + one.id() + "/retry",
                        "Retry now"))
            .toList();
    return new Attention(
        "Subscribers that are behind",
        "These subscribers did not accept a delivery. The gateway tries again by itself, and sends"
            + " all that is missing in order.",
        "/subscriptions?state=lagging",
        cases);
  }

  private String behind(SubscriptionView one) {
    Behind behind = one.behind();
    if (behind == null) {
      return "It is behind.";
    }
    StringBuilder cause = new StringBuilder();
    if (behind.lastError() != null) {
      cause.append(sentence(behind.lastError())).append(' ');
    }
    cause.append(Text.count(behind.events(), "event")).append(" behind");
    if (behind.since() != null) {
      cause
          .append(" for ")
          .append(Text.duration(Duration.between(behind.since(), text.now()).abs()));
    }
    if (behind.nextAttemptAt() != null) {
      cause.append(", next try ").append(text.relative(behind.nextAttemptAt()));
    }
    return cause.append('.').toString();
  }

  private static String sentence(String reason) {
    return reason.isEmpty()
        ? ""
        : reason.substring(0, 1).toUpperCase(Locale.ROOT) + reason.substring(1) + ".";
  }

  private Attention endpoints() {
    List<Attention.Case> cases =
        api
            .list(
                Calls.path("/upstreams", "limit", Integer.toString(ENDPOINTS)), UpstreamView.class)
            .items()
            .stream()
            .filter(endpoint -> endpoint.state().equals("demoted"))
            .limit(SHOWN)
            .map(
                endpoint ->
                    new Attention.Case(
                        endpoint.endpoint(),
                        "/upstreams",
                        "Polls found entries before it pushed them. Its feeds are followed by the"
                            + " next best way until "
                            + (endpoint.demotedUntil() == null
                                ? "later"
                                : text.relative(endpoint.demotedUntil()))
                            + ".",
                        "",
                        ""))
            .toList();
    return new Attention(
        "Hubs and clouds that are demoted",
        "The gateway gives each of them another chance by itself.",
        "/upstreams",
        cases);
  }
}
