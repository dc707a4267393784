package io.feedbridge.gateway.web.api.subscribers;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Webhook;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

  /**
   * A secret that signs messages.
   *
   * @param lastCharacters by which its owner knows it
   * @param until absent for the newest
   */
  record ValidSecret(String lastCharacters, @Nullable Instant until) {
    private static final int SHOWN = 4;

    static ValidSecret of(String stored, @Nullable Instant until) {
      String secret = WebhookSecret.parse(stored).receiversText();
      int end = secret.endsWith("=") ? secret.indexOf('=') : secret.length();
      return new ValidSecret(secret.substring(end - SHOWN, end), until);
    }
  }

  /**
   * A webhook as the API shows it.
   *
   * @param refused feeds of the list in this request that were left out; shown where there are any
   */
  record View(
      String id,
      String url,
      String target,
      @Nullable String template,
      List<String> topics,
      @Nullable String filter,
      @Nullable String every,
      @Nullable String only,
      @Nullable String fields,
      boolean dedupe,
      @Nullable String description,
      String state,
      @Nullable String reason,
      @Nullable Instant nextVerificationAt,
      @Nullable Instant failingSince,
      Instant createdAt,
      @Nullable String publicKey,
      List<ValidSecret> secrets,
      SubscriptionQueries.@Nullable Behind behind,
      List<Gaps.View> gaps,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<WebhookFields.RefusedFeed> refused) {}

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

  private View view(Webhook webhook) {
    return view(webhook, List.of());
  }

  /** The view of a webhook whose request named feeds that were left out. */
  View view(Webhook webhook, List<WebhookFields.RefusedFeed> refused) {
    return new View(
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
        label(webhook.state()),
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

  private List<ValidSecret> secrets(Webhook webhook) {
    List<ValidSecret> valid = new ArrayList<>();
    if (!webhook.terms().target().kind().isSigned()) {
      return valid;
    }
    valid.add(ValidSecret.of(webhook.secret(), null));
    webhook
        .retiredAt(clock.instant())
        .forEach(old -> valid.add(ValidSecret.of(old.secret(), old.until())));
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

  static String label(Webhook.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
