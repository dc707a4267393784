package io.feedbridge.gateway.web.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Webhook;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.websub.RandomToken;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/webhooks}: the endpoints that are sent JSON, after Standard Webhooks. */
final class WebhooksApi {

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private static final String BY_HAND = "by hand";

  /** Of a change that meets others of the same endpoint. */
  private static final int MAX_TRIES = 5;

  private final Webhooks webhooks;
  private final Endpoints endpoints;
  private final Attempts attempts;
  private final Gaps gaps;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final RandomGenerator random;
  private final Clock clock;

  WebhooksApi(
      Webhooks webhooks,
      Endpoints endpoints,
      Attempts attempts,
      Gaps gaps,
      BridgedUrls bridges,
      Policies policies,
      RandomGenerator random,
      Clock clock) {
    this.webhooks = webhooks;
    this.endpoints = endpoints;
    this.attempts = attempts;
    this.gaps = gaps;
    this.bridges = bridges;
    this.policies = policies;
    this.random = random;
    this.clock = clock;
  }

  /**
   * The request for a new webhook.
   *
   * @param opml a list of feeds, in place of topics
   */
  record New(
      @Nullable String url,
      @Nullable List<@Nullable String> topics,
      @Nullable String opml,
      @Nullable String secret,
      @Nullable String filter,
      @Nullable String description,
      @Nullable Boolean verified) {}

  /** The fields to change. A null filter or description removes it. */
  record Change(
      @Nullable String url,
      @Nullable List<@Nullable String> topics,
      @Nullable String opml,
      @Nullable JsonNode filter,
      @Nullable JsonNode description,
      @Nullable Boolean verified) {}

  /**
   * Another secret.
   *
   * @param endPrevious whether the previous secrets end at once
   */
  record Rotation(@Nullable String secret, @Nullable Boolean endPrevious) {}

  /**
   * The answer to that: the only time that the secret is shown.
   *
   * @param previousSecretsUntil absent where they have ended
   */
  record Rotated(String id, String secret, @Nullable Instant previousSecretsUntil) {}

  /**
   * A secret that signs messages.
   *
   * @param lastCharacters by which its owner knows it
   * @param until absent for the newest
   */
  record ValidSecret(String lastCharacters, @Nullable Instant until) {
    private static final int SHOWN = 4;

    static ValidSecret of(String secret, @Nullable Instant until) {
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
      List<String> topics,
      @Nullable String filter,
      @Nullable String description,
      String state,
      @Nullable String reason,
      @Nullable Instant nextVerificationAt,
      @Nullable Instant failingSince,
      Instant createdAt,
      List<ValidSecret> secrets,
      SubscriptionQueries.@Nullable Behind behind,
      List<Gaps.View> gaps,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<WebhookFields.RefusedFeed> refused) {}

  /**
   * The answer to a new one: the only time that the secret is shown.
   *
   * @param refused feeds of its list that were left out; shown where there are any
   */
  record Created(
      String id,
      String url,
      List<String> topics,
      @Nullable String filter,
      @Nullable String description,
      String secret,
      String state,
      Instant createdAt,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<WebhookFields.RefusedFeed> refused) {}

  /** {@code POST /webhooks}. */
  Response create(Request request) {
    New asked = JsonBody.read(request, New.class);
    String url = WebhookFields.url(asked.url, policies);
    WebhookFields.Topics topics = WebhookFields.topics(asked.topics, asked.opml, bridges, policies);
    Webhook.Terms terms =
        new Webhook.Terms(
            url,
            topics.topics(),
            asked.filter == null ? null : WebhookFields.filter(asked.filter),
            asked.description == null ? null : WebhookFields.description(asked.description));
    WebhookSecret secret = secret(asked.secret);
    return webhooks
        .create(
            terms,
            RandomToken.next(random),
            secret.text(),
            Boolean.TRUE.equals(asked.verified),
            clock.instant())
        .join()
        .map(made -> Answers.json(CREATED, created(made, topics.refused())))
        .orElseGet(
            () ->
                Answers.problem(
                    CONFLICT,
                    "there are %d webhooks, which is the maximum".formatted(Webhooks.MAX)));
  }

  private WebhookSecret secret(@Nullable String given) {
    return given == null ? WebhookSecret.make(random) : WebhookFields.secret(given);
  }

  private static Created created(Webhook made, List<WebhookFields.RefusedFeed> refused) {
    return new Created(
        Long.toString(made.id()),
        made.terms().url(),
        topics(made),
        made.terms().filter(),
        made.terms().description(),
        made.secret(),
        label(made.state()),
        made.createdAt(),
        refused);
  }

  /** {@code GET /webhooks}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long after = ItemId.behind(page);
    Webhooks.Filter filter =
        new Webhooks.Filter(
            Page.parameter(request, "topic")
                .map(url -> TopicField.of("topic", url, bridges))
                .orElse(null),
            Page.parameter(request, "url").orElse(null),
            Page.parameter(request, "state").map(WebhookFields::state).orElse(null),
            null);
    List<Webhook> found = webhooks.list(filter, after, page.limit() + 1);
    return Answers.json(OK, page.items(found, this::view, webhook -> Long.toString(webhook.id())));
  }

  /** {@code GET /webhooks/{id}}. */
  Response get(Request request) {
    return answer(OK, ItemId.in(request).flatMap(webhooks::byId));
  }

  /** {@code PATCH /webhooks/{id}}: fields that the body does not name stay as they are. */
  Response change(Request request) {
    Change asked = JsonBody.read(request, Change.class);
    WebhookFields.@Nullable Topics topics = null;
    for (int i = 0; i < MAX_TRIES; i++) {
      Optional<Webhook> before = ItemId.in(request).flatMap(webhooks::byId);
      if (before.isEmpty()) {
        return unknown();
      }
      if (topics == null && (asked.topics != null || asked.opml != null)) {
        topics = WebhookFields.topics(asked.topics, asked.opml, bridges, policies);
      }
      Optional<Webhook> changed =
          webhooks
              .change(
                  before.get(),
                  WebhookFields.changed(
                      before.get().terms(),
                      asked,
                      topics == null ? null : topics.topics(),
                      policies),
                  Boolean.TRUE.equals(asked.verified),
                  clock.instant())
              .join();
      if (changed.isPresent()) {
        return Answers.json(OK, view(changed.get(), topics == null ? List.of() : topics.refused()));
      }
    }
    return Answers.problem(CONFLICT, "other requests change it at the same time: try again");
  }

  /** {@code DELETE /webhooks/{id}}. */
  Response delete(Request request) {
    boolean removed =
        ItemId.in(request).map(id -> webhooks.remove(id, clock.instant()).join()).orElse(false);
    return removed ? Response.noContent() : unknown();
  }

  /** {@code POST /webhooks/{id}/rotate-secret}. */
  Response rotate(Request request) {
    Rotation asked =
        request.body().length == 0
            ? new Rotation(null, null)
            : JsonBody.read(request, Rotation.class);
    WebhookSecret secret = secret(asked.secret);
    Optional<Webhook> webhook = ItemId.in(request).flatMap(webhooks::byId);
    if (webhook.isEmpty()) {
      return unknown();
    }
    Instant now = clock.instant();
    boolean endPrevious = Boolean.TRUE.equals(asked.endPrevious);
    Instant until = endPrevious ? null : now.plus(Webhooks.OVERLAP);
    return webhooks
        .rotate(webhook.get().id(), secret.text(), endPrevious, now)
        .join()
        .map(
            rotated ->
                Answers.json(OK, new Rotated(Long.toString(rotated.id()), rotated.secret(), until)))
        .orElseGet(
            () ->
                Answers.problem(
                    CONFLICT,
                    ("%d secrets beside the newest are valid, which is the maximum: each is valid"
                            + " for 24 hours, or until \"endPrevious\" ends it")
                        .formatted(Webhooks.MAX_RETIRED)));
  }

  /** {@code DELETE /webhooks/{id}/previous-secrets}. */
  Response endPreviousSecrets(Request request) {
    return changed(request, webhooks::endPreviousSecrets);
  }

  /**
   * {@code POST /webhooks/{id}/test}: sends one signed message now, and answers with its result.
   */
  CompletionStage<Response> test(Request request) {
    Optional<Webhook> webhook = ItemId.in(request).flatMap(webhooks::byId);
    if (webhook.isEmpty()) {
      return CompletableFuture.completedFuture(unknown());
    }
    if (!webhook.get().verified()) {
      return CompletableFuture.completedFuture(
          Answers.problem(
              CONFLICT, "it is not verified yet: the gateway sends only the verification"));
    }
    return endpoints.test(webhook.get()).thenApply(tested -> Answers.json(OK, tested));
  }

  /** {@code POST /webhooks/{id}/retry}: due now, to be served or to be verified. */
  Response retry(Request request) {
    return answer(
        ACCEPTED,
        ItemId.in(request)
            .flatMap(id -> SubscribedWebhooks.retried(webhooks, endpoints, id, clock.instant())));
  }

  private List<Attempt> attempts(Request request) {
    return ItemId.in(request).map(Attempts::ofWebhook).map(attempts::of).orElse(List.of());
  }

  /** {@code GET /webhooks/{id}/deliveries/{delivery}}. */
  Response delivery(Request request) {
    return SubscriptionsApi.delivery(request, attempts(request), attempts);
  }

  /** {@code GET /webhooks/{id}/deliveries}; of one that was removed too, as long as any are. */
  Response deliveries(Request request) {
    List<Attempt> all = attempts(request);
    return all.isEmpty() && ItemId.in(request).flatMap(webhooks::byId).isEmpty()
        ? unknown()
        : SubscriptionsApi.deliveries(request, all);
  }

  /** {@code POST /webhooks/{id}/enable}: goes on from its cursor, or is verified again. */
  Response enable(Request request) {
    Optional<Webhook> webhook = ItemId.in(request).flatMap(webhooks::byId);
    if (webhook.filter(one -> !policies.permitCallback(one.terms().url())).isPresent()) {
      return Answers.problem(CONFLICT, Policies.CALLBACK_REFUSED + " (--callbacks)");
    }
    return changed(request, id -> webhooks.enable(id, clock.instant()));
  }

  /** {@code POST /webhooks/{id}/disable}. */
  Response disable(Request request) {
    return changed(request, id -> webhooks.disable(id, BY_HAND, clock.instant()));
  }

  private Response changed(
      Request request, Function<Long, CompletableFuture<Optional<Webhook>>> change) {
    return answer(OK, ItemId.in(request).flatMap(id -> change.apply(id).join()));
  }

  private Response answer(int status, Optional<Webhook> webhook) {
    return webhook.map(one -> Answers.json(status, view(one))).orElseGet(WebhooksApi::unknown);
  }

  private View view(Webhook webhook) {
    return view(webhook, List.of());
  }

  private View view(Webhook webhook, List<WebhookFields.RefusedFeed> refused) {
    return new View(
        Long.toString(webhook.id()),
        webhook.terms().url(),
        topics(webhook),
        webhook.terms().filter(),
        webhook.terms().description(),
        label(webhook.state()),
        webhook.reason(),
        webhook.nextAttemptAt(),
        webhook.failingSince(),
        webhook.createdAt(),
        secrets(webhook),
        webhooks.behind(webhook).orElse(null),
        gaps.ofWebhook(webhook.id()),
        refused);
  }

  private List<ValidSecret> secrets(Webhook webhook) {
    List<ValidSecret> valid = new ArrayList<>();
    valid.add(ValidSecret.of(webhook.secret(), null));
    webhook
        .retiredAt(clock.instant())
        .forEach(old -> valid.add(ValidSecret.of(old.secret(), old.until())));
    return valid;
  }

  private static List<String> topics(Webhook webhook) {
    List<String> named = webhook.terms().topics();
    return named.isEmpty() ? List.of(WebhookFields.ALL) : named;
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such webhook");
  }

  private static String label(Webhook.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
