package io.feedbridge.gateway.web.api.subscribers;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.webhooks.EndpointTrials;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.WebhookView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.websub.RandomToken;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/webhooks}: makes, changes and tries out the endpoints that are sent JSON. */
final class WebhooksApi {

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int ACCEPTED = 202;
  private static final int CONFLICT = 409;

  private static final String BY_HAND = "by hand";

  /** Of a change that meets others of the same endpoint. */
  private static final int MAX_TRIES = 5;

  private final Webhooks webhooks;
  private final WebhookReads reads;
  private final SubscriptionChanges subscriptions;
  private final EndpointTrials trials;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final RandomGenerator random;
  private final Clock clock;

  WebhooksApi(
      Webhooks webhooks,
      WebhookReads reads,
      SubscriptionChanges subscriptions,
      EndpointTrials trials,
      BridgedUrls bridges,
      Policies policies,
      RandomGenerator random,
      Clock clock) {
    this.webhooks = webhooks;
    this.reads = reads;
    this.subscriptions = subscriptions;
    this.trials = trials;
    this.bridges = bridges;
    this.policies = policies;
    this.random = random;
    this.clock = clock;
  }

  /**
   * The request for a new webhook.
   *
   * @param opml a list of feeds, in place of topics
   * @param list the URL of a list, in place of both
   */
  record New(
      @Nullable String url,
      @Nullable String target,
      @Nullable String token,
      @Nullable String template,
      @Nullable List<@Nullable String> topics,
      @Nullable String opml,
      @Nullable String list,
      @Nullable String secret,
      @Nullable String signature,
      @Nullable String filter,
      @Nullable String every,
      @Nullable String only,
      @Nullable String fields,
      @Nullable Boolean dedupe,
      @Nullable String description,
      @Nullable Boolean verified) {}

  /** The fields to change. A null filter, description, every, only or fields removes it. */
  record Change(
      @Nullable String url,
      @Nullable String target,
      @Nullable String token,
      @Nullable String template,
      @Nullable List<@Nullable String> topics,
      @Nullable String opml,
      @Nullable String list,
      @Nullable JsonNode filter,
      @Nullable JsonNode every,
      @Nullable JsonNode only,
      @Nullable JsonNode fields,
      @Nullable Boolean dedupe,
      @Nullable JsonNode description,
      @Nullable Boolean verified) {}

  /**
   * Another secret.
   *
   * @param signature the version of the signatures; absent for that of the secret before
   * @param endPrevious whether the previous secrets end at once
   */
  record Rotation(
      @Nullable String secret, @Nullable String signature, @Nullable Boolean endPrevious) {}

  /** {@code POST /webhooks}. */
  Response create(Request request) {
    New asked = JsonBody.read(request, New.class);
    TargetFields.Receiver receiver =
        TargetFields.of(asked.url, asked.target, asked.token, asked.template, policies);
    WebhookFields.Topics topics =
        WebhookFields.topics(asked.topics, asked.opml, asked.list, bridges, policies);
    Webhook.Terms terms =
        new Webhook.Terms(
            receiver.url(),
            topics.topics(),
            asked.filter == null ? null : WebhookFields.filter(asked.filter),
            asked.description == null ? null : WebhookFields.description(asked.description),
            WebhookFields.wishes(asked.every, asked.only, asked.fields)
                .withDedupe(Boolean.TRUE.equals(asked.dedupe)),
            receiver.target());
    WebhookSecret secret =
        WebhookFields.secret(asked.secret, asked.signature, WebhookSecret.Scheme.SHARED, random);
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

  private static WebhookView.Created created(Webhook made, List<WebhookView.RefusedFeed> refused) {
    return new WebhookView.Created(
        Long.toString(made.id()),
        made.terms().url(),
        made.terms().target().kind().label(),
        made.terms().target().template(),
        WebhookReads.topics(made),
        made.terms().filter(),
        made.terms().wishes().everyText(),
        made.terms().wishes().onlyText(),
        made.terms().wishes().fieldsText(),
        made.terms().wishes().dedupe(),
        made.terms().description(),
        WebhookReads.shared(made),
        WebhookReads.publicKey(made),
        Answers.word(made.state()),
        made.createdAt(),
        refused);
  }

  /** {@code PATCH /webhooks/{id}}: fields that the body does not name stay as they are. */
  Response change(Request request) {
    Change asked = JsonBody.read(request, Change.class);
    WebhookFields.@Nullable Topics topics = null;
    for (int i = 0; i < MAX_TRIES; i++) {
      Optional<Webhook> before = ItemId.in(request).flatMap(webhooks::byId);
      if (before.isEmpty()) {
        return WebhookReads.unknown();
      }
      if (topics == null && (asked.topics != null || asked.opml != null || asked.list != null)) {
        topics = WebhookFields.topics(asked.topics, asked.opml, asked.list, bridges, policies);
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
        return Answers.json(
            OK, reads.view(changed.get(), topics == null ? List.of() : topics.refused()));
      }
    }
    return Answers.problem(CONFLICT, "other requests change it at the same time: try again");
  }

  /** {@code DELETE /webhooks/{id}}. */
  Response delete(Request request) {
    boolean removed =
        ItemId.in(request).map(id -> webhooks.remove(id, clock.instant()).join()).orElse(false);
    return removed ? Response.noContent() : WebhookReads.unknown();
  }

  /** {@code POST /webhooks/{id}/rotate-secret}. */
  Response rotate(Request request) {
    Rotation asked =
        request.body().length == 0
            ? new Rotation(null, null, null)
            : JsonBody.read(request, Rotation.class);
    Optional<Webhook> webhook = ItemId.in(request).flatMap(webhooks::byId);
    if (webhook.isEmpty()) {
      return WebhookReads.unknown();
    }
    if (!webhook.get().terms().target().kind().isSigned()) {
      return Answers.problem(CONFLICT, "messages of its target are not signed: it has no secret");
    }
    WebhookSecret.Scheme before = WebhookSecret.parse(webhook.get().secret()).scheme();
    WebhookSecret secret = WebhookFields.secret(asked.secret, asked.signature, before, random);
    Instant now = clock.instant();
    boolean endPrevious = Boolean.TRUE.equals(asked.endPrevious);
    Instant until = endPrevious ? null : now.plus(Webhooks.OVERLAP);
    return webhooks
        .rotate(webhook.get().id(), secret.text(), endPrevious, now)
        .join()
        .map(
            rotated ->
                Answers.json(
                    OK,
                    new WebhookView.Rotated(
                        Long.toString(rotated.id()),
                        WebhookReads.shared(rotated),
                        WebhookReads.publicKey(rotated),
                        until)))
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
      return CompletableFuture.completedFuture(WebhookReads.unknown());
    }
    if (!webhook.get().verified()) {
      return CompletableFuture.completedFuture(
          Answers.problem(
              CONFLICT, "it is not verified yet: the gateway sends only the verification"));
    }
    return trials.test(webhook.get()).thenApply(tested -> Answers.json(OK, tested));
  }

  /** {@code POST /webhooks/{id}/retry}: due now, to be served or to be verified. */
  Response retry(Request request) {
    return reads.answer(ACCEPTED, ItemId.in(request).flatMap(subscriptions::retryWebhook));
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
    return reads.answer(OK, ItemId.in(request).flatMap(id -> change.apply(id).join()));
  }
}
