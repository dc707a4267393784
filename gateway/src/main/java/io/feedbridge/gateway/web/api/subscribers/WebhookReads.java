package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.WebhookView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/webhooks}: shows the endpoints that are sent JSON, after Standard Webhooks. */
final class WebhookReads {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Webhooks webhooks;
  private final Gaps gaps;
  private final BridgedUrls bridges;
  private final Clock clock;

  WebhookReads(Webhooks webhooks, Gaps gaps, BridgedUrls bridges, Clock clock) {
    this.webhooks = webhooks;
    this.gaps = gaps;
    this.bridges = bridges;
    this.clock = clock;
  }

  /** {@code GET /webhooks}. */
  Response list(Request request) {
    Page page = Page.of(request);
    Optional<Long> skipped = page.skipped(request);
    long after = skipped.isPresent() ? 0 : ItemId.behind(page);
    WebhookFilter filter =
        new WebhookFilter(
            Page.parameter(request, "topic")
                .map(url -> TopicField.of("topic", url, bridges))
                .orElse(null),
            Page.parameter(request, "url").orElse(null),
            Page.parameter(request, "state").map(WebhookFields::state).orElse(null),
            null,
            Page.text(request).orElse(null));
    List<Webhook> found = webhooks.list(filter, after, skipped.orElse(0L), page.limit() + 1);
    return Answers.json(
        OK,
        page.items(found, this::view, webhook -> Long.toString(webhook.id()))
            .counted(request, () -> webhooks.count(filter)));
  }

  /** {@code GET /webhooks/{id}}. */
  Response get(Request request) {
    return answer(OK, ItemId.in(request).flatMap(webhooks::byId));
  }

  /** A webhook, or the answer that there is none. */
  Response answer(int status, Optional<Webhook> webhook) {
    return webhook.map(one -> Answers.json(status, view(one))).orElseGet(WebhookReads::unknown);
  }

  private WebhookView view(Webhook webhook) {
    return view(webhook, List.of());
  }

  /** The view of a webhook whose request named feeds that were left out. */
  WebhookView view(Webhook webhook, List<WebhookView.RefusedFeed> refused) {
    return new WebhookView(
        Long.toString(webhook.id()),
        webhook.terms().url(),
        webhook.terms().target().kind().label(),
        webhook.terms().target().template(),
        topics(webhook),
        webhook.terms().filter(),
        webhook.terms().wishes().everyText(),
        webhook.terms().wishes().onlyText(),
        webhook.terms().wishes().fieldsText(),
        webhook.terms().wishes().dedupe(),
        webhook.terms().description(),
        Answers.word(webhook.state()),
        webhook.reason(),
        webhook.nextAttemptAt(),
        webhook.failingSince(),
        webhook.createdAt(),
        publicKey(webhook),
        secrets(webhook),
        webhooks.behind(webhook).orElse(null),
        gaps.ofWebhook(webhook.id()),
        refused);
  }

  /** The newest secret, if its receivers verify with it. */
  static @Nullable String shared(Webhook webhook) {
    boolean signed = webhook.terms().target().kind().isSigned();
    return signed && publicKey(webhook) == null ? webhook.secret() : null;
  }

  /** The public key of the newest secret, if its receivers verify with that. */
  static @Nullable String publicKey(Webhook webhook) {
    WebhookSecret secret = WebhookSecret.parse(webhook.secret());
    return secret.scheme() == WebhookSecret.Scheme.PUBLIC_KEY ? secret.receiversText() : null;
  }

  private List<WebhookView.ValidSecret> secrets(Webhook webhook) {
    List<WebhookView.ValidSecret> valid = new ArrayList<>();
    if (!webhook.terms().target().kind().isSigned()) {
      return valid;
    }
    valid.add(WebhookView.ValidSecret.of(webhook.secret(), null));
    webhook
        .retiredAt(clock.instant())
        .forEach(old -> valid.add(WebhookView.ValidSecret.of(old.secret(), old.until())));
    return valid;
  }

  static List<String> topics(Webhook webhook) {
    List<String> named = webhook.terms().topics();
    return named.isEmpty()
        ? List.of(WebhookFields.ALL)
        : named.stream().flatMap(OwnEventNames::named).toList();
  }

  static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such webhook");
  }
}
