package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.delivery.webhooks.EndpointTrials;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.DeliveryView;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.PreviewItem;
import io.feedbridge.gateway.web.api.model.WebhookView;
import io.feedbridge.gateway.web.console.kit.CallFailedException;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /webhooks}: all webhooks, one of them with its deliveries, and new ones. */
public final class WebhookPages {

  private static final String SECTION = "webhooks";
  private static final int NOT_FOUND = 404;
  private static final int OK = 200;
  private static final List<String> FIELDS =
      List.of(
          "url",
          "target",
          "token",
          "template",
          "topics",
          "filter",
          "every",
          "only",
          "fields",
          "dedupe",
          "description",
          "signature");

  /** The fields that keep their value where they are left empty. */
  private static final List<String> KEPT = List.of("target", "token", "template");

  /** The fields that may be empty. */
  private static final List<String> OPTIONAL =
      List.of("filter", "every", "only", "fields", "description");

  private static final String OFFERED = "10";
  private static final Pattern LINES = Pattern.compile("\\R");

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/webhooks", WebhookPages::list);
    desk.get(routes, "/webhooks/new", WebhookPages::blank);
    desk.get(routes, "/webhooks/feeds", WebhookPages::feeds);
    desk.post(routes, "/webhooks", WebhookPages::create);
    desk.get(routes, "/webhooks/{id}", visit -> webhook(visit, Map.of()));
    desk.get(
        routes,
        "/webhooks/{id}/deliveries/{delivery}",
        visit -> SubscriptionPages.delivery(visit, "/webhooks/", SECTION));
    desk.post(routes, "/webhooks/{id}", WebhookPages::change);
    desk.postLater(routes, "/webhooks/{id}/test", WebhookPages::test);
    desk.postLater(
        routes,
        "/webhooks/{id}/deliveries/{delivery}/resend",
        visit -> SubscriptionPages.resend(visit, "/webhooks/"));
    desk.post(routes, "/webhooks/{id}/rotate", WebhookPages::rotate);
    desk.post(routes, "/webhooks/{id}/end-secrets", WebhookPages::endSecrets);
    desk.post(routes, "/webhooks/{id}/retry", visit -> step(visit, "retry", "retried"));
    desk.post(routes, "/webhooks/{id}/enable", visit -> step(visit, "enable", "enabled"));
    desk.post(routes, "/webhooks/{id}/disable", visit -> step(visit, "disable", "disabled"));
    desk.post(routes, "/webhooks/{id}/replay", WebhookPages::replay);
    desk.post(routes, "/webhooks/{id}/delete", WebhookPages::delete);
  }

  private static Response list(Visit visit) {
    PageLinks links = visit.filter("/webhooks", "state", "topic");
    Listed<WebhookView> found =
        visit
            .api()
            .list(
                Calls.path(
                    "/webhooks",
                    "state",
                    links.value("state"),
                    "topic",
                    links.value("topic"),
                    "page",
                    visit.query("page"),
                    "total",
                    "true"),
                WebhookView.class);
    return visit.page(
        "webhooks",
        "Webhooks",
        SECTION,
        Map.of("webhooks", found, "pages", visit.pages(links, found)));
  }

  private static Response blank(Visit visit) {
    return form(visit, OK, Map.of("topics", visit.query("topic")), Map.of());
  }

  /** Feeds that the form offers for the words that are typed. */
  private static Response feeds(Visit visit) {
    List<FeedView> found =
        visit.query("q").isEmpty()
            ? List.of()
            : visit
                .api()
                .list(Calls.path("/feeds", "q", visit.query("q"), "limit", OFFERED), FeedView.class)
                .items();
    return visit.page("offered", "Feeds", SECTION, Map.of("feeds", found));
  }

  private static Response form(
      Visit visit, int status, Map<String, String> fields, Map<String, String> errors) {
    return form(visit, status, fields, errors, null);
  }

  private static Response form(
      Visit visit,
      int status,
      Map<String, String> fields,
      Map<String, String> errors,
      PreviewItem.@Nullable Items preview) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("fields", fields);
    values.put("errors", errors);
    values.put("preview", preview);
    return visit.page(status, "webhooknew", "New webhook", SECTION, values);
  }

  private static boolean isTrial(Visit visit) {
    return !visit.field("try").isEmpty();
  }

  private static PreviewItem.Items preview(Visit visit) {
    Map<String, Object> asked = new HashMap<>();
    asked.put("topics", topics(visit));
    for (String name : List.of("filter", "target", "template")) {
      if (!visit.field(name).isEmpty()) {
        asked.put(name, visit.field(name));
      }
    }
    return visit.api().post("/webhooks/preview", asked, PreviewItem.Items.class);
  }

  private static Response create(Visit visit) {
    Map<String, Object> asked = new HashMap<>();
    asked.put("url", visit.field("url"));
    asked.put("topics", topics(visit));
    asked.put("dedupe", !visit.field("dedupe").isEmpty());
    Stream.of(List.of("signature"), KEPT, OPTIONAL)
        .flatMap(List::stream)
        .filter(name -> !visit.field(name).isEmpty())
        .forEach(name -> asked.put(name, visit.field(name)));
    try {
      if (isTrial(visit)) {
        return form(visit, OK, fields(visit), Map.of(), preview(visit));
      }
      WebhookView.Created made = visit.api().post("/webhooks", asked, WebhookView.Created.class);
      return made.secret() == null && made.publicKey() == null
          ? Visit.go("/webhooks/" + made.id(), "made")
          : secret(visit, made.id(), made.secret(), made.publicKey(), Why.MADE);
    } catch (CallFailedException e) {
      return form(visit, e.status(), fields(visit), errors(e));
    }
  }

  private static Map<String, String> errors(CallFailedException e) {
    return e.errors().isEmpty() ? Map.of("", e.detail()) : e.errors();
  }

  /** The reason that a secret is new. */
  private enum Why {
    MADE("The webhook is made", "Keep it where your program reads it."),
    ROTATED(
        "The secret is rotated",
        "Messages are signed with the old and the new secret for 24 hours, so no message is lost"
            + " while you change it."),
    LEAKED(
        "The secret is rotated",
        "The earlier secrets are not valid any more. Your program refuses messages until it has"
            + " this secret; the gateway sends them again.");

    final String title;
    final String hint;

    Why(String title, String hint) {
      this.title = title;
      this.hint = hint;
    }
  }

  private static Response secret(
      Visit visit, String id, @Nullable String secret, @Nullable String publicKey, Why why) {
    Map<String, Object> values = new HashMap<>();
    values.put("id", id);
    values.put("secret", secret);
    values.put("publicKey", publicKey);
    values.put("title", why.title);
    values.put("hint", why.hint);
    return visit.page("secret", "The webhook's secret", SECTION, values);
  }

  private static Map<String, String> fields(Visit visit) {
    return FIELDS.stream().collect(Collectors.toMap(name -> name, visit::field));
  }

  private static List<String> topics(Visit visit) {
    return LINES
        .splitAsStream(visit.field("topics"))
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .toList();
  }

  private static Response webhook(Visit visit, Map<String, ?> more) {
    String id = visit.variable("id");
    Optional<WebhookView> found = visit.api().find("/webhooks/" + id, WebhookView.class);
    if (found.isEmpty()) {
      return Desk.problem(visit, NOT_FOUND, "There is no webhook of this number.");
    }
    Listed<DeliveryView> deliveries =
        visit
            .api()
            .list(
                Calls.path("/webhooks/" + id + "/deliveries", "cursor", visit.query("cursor")),
                DeliveryView.class);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("webhook", found.get());
    values.put("deliveries", deliveries);
    values.put("tested", null);
    values.put("preview", null);
    values.put("fields", fields(found.get()));
    values.put("errors", Map.of());
    values.putAll(more);
    return visit.page("webhook", found.get().name(), SECTION, values);
  }

  private static Map<String, String> fields(WebhookView webhook) {
    Map<String, String> fields = new HashMap<>();
    fields.put("url", webhook.url());
    fields.put("target", webhook.target());
    fields.put("template", Objects.requireNonNullElse(webhook.template(), ""));
    fields.put("topics", String.join("\n", webhook.topics()));
    fields.put("filter", Objects.requireNonNullElse(webhook.filter(), ""));
    fields.put("every", Objects.requireNonNullElse(webhook.every(), ""));
    fields.put("only", Objects.requireNonNullElse(webhook.only(), ""));
    fields.put("fields", Objects.requireNonNullElse(webhook.fields(), ""));
    fields.put("dedupe", webhook.dedupe() ? "true" : "");
    fields.put("description", Objects.requireNonNullElse(webhook.description(), ""));
    return fields;
  }

  private static Response change(Visit visit) {
    Map<String, Object> asked = new HashMap<>();
    asked.put("url", visit.field("url"));
    asked.put("topics", topics(visit));
    asked.put("dedupe", !visit.field("dedupe").isEmpty());
    KEPT.stream()
        .filter(name -> !visit.field(name).isEmpty())
        .forEach(name -> asked.put(name, visit.field(name)));
    for (String name : OPTIONAL) {
      asked.put(name, visit.field(name).isEmpty() ? null : visit.field(name));
    }
    String path = "/webhooks/" + visit.variable("id");
    try {
      if (isTrial(visit)) {
        return webhook(visit, Map.of("fields", fields(visit), "preview", preview(visit)));
      }
      visit.api().run("PATCH", path, asked);
      return Visit.go(path, "changed");
    } catch (CallFailedException e) {
      return webhook(visit, Map.of("fields", fields(visit), "errors", errors(e)));
    }
  }

  private static Response replay(Visit visit) {
    String path = "/webhooks/" + visit.variable("id");
    try {
      Duration span = Duration.ofHours(Long.parseLong(visit.field("hours")));
      visit
          .api()
          .run(
              "POST",
              path + "/replay",
              Map.of("since", visit.clock().instant().minus(span).toString()));
      return Visit.go(path, "replayed");
    } catch (CallFailedException e) {
      return webhook(visit, Map.of("errors", errors(e)));
    } catch (ArithmeticException | DateTimeException | NumberFormatException e) {
      return webhook(visit, Map.of("errors", Map.of("since", "Choose one of the times.")));
    }
  }

  private static CompletionStage<Response> test(Visit visit) {
    return visit
        .api()
        .postLater("/webhooks/" + visit.variable("id") + "/test", EndpointTrials.Tested.class)
        .thenCompose(tested -> visit.later(() -> webhook(visit, Map.of("tested", tested))));
  }

  private static Response rotate(Visit visit) {
    String id = visit.variable("id");
    boolean endPrevious = !visit.field("end").isEmpty();
    WebhookView.Rotated rotated =
        visit
            .api()
            .post(
                "/webhooks/" + id + "/rotate-secret",
                Map.of("endPrevious", endPrevious),
                WebhookView.Rotated.class);
    Why why = endPrevious ? Why.LEAKED : Why.ROTATED;
    return secret(visit, id, rotated.secret(), rotated.publicKey(), why);
  }

  private static Response endSecrets(Visit visit) {
    String path = "/webhooks/" + visit.variable("id");
    visit.api().run("DELETE", path + "/previous-secrets");
    return Visit.go(path, "secrets-ended");
  }

  private static Response step(Visit visit, String call, String notice) {
    String path = "/webhooks/" + visit.variable("id");
    visit.api().run("POST", path + "/" + call);
    return Visit.go(path, notice);
  }

  private static Response delete(Visit visit) {
    visit.api().run("DELETE", "/webhooks/" + visit.variable("id"));
    return Visit.go("/webhooks", "deleted");
  }
}
