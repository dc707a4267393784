package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/webhooks/{id}/replay}: webhooks that get events of the past again. */
final class ReplayApi {

  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final Webhooks webhooks;
  private final Log events;
  private final Endpoints endpoints;

  ReplayApi(Webhooks webhooks, Log events, Endpoints endpoints) {
    this.webhooks = webhooks;
    this.events = events;
    this.endpoints = endpoints;
  }

  /** The request. */
  record Replay(@Nullable String since) {}

  /**
   * The answer.
   *
   * @param events of all feeds in the log since then, at most; the webhook gets its own part of
   *     them
   */
  record Replayed(String id, Instant since, long events) {}

  /** {@code POST /webhooks/{id}/replay}; of a disabled webhook, for when it is enabled. */
  CompletionStage<Response> replay(Request request) {
    Optional<Webhook> webhook = ItemId.in(request).flatMap(webhooks::byId);
    if (webhook.isEmpty()) {
      return CompletableFuture.completedFuture(unknown());
    }
    Instant since = StatsApi.time(JsonBody.read(request, Replay.class).since());
    if (!webhook.get().verified()) {
      return CompletableFuture.completedFuture(
          Answers.problem(
              CONFLICT, "it is not verified yet: the gateway sends only the verification"));
    }
    Log.Extent extent = events.extent();
    Instant oldest = extent.oldest();
    if (oldest != null && extent.start() > 0 && since.isBefore(oldest)) {
      throw new BadFieldException(
          "since", "the log begins at %s; --retention keeps it for longer".formatted(oldest));
    }
    long after = events.positionAt(since);
    long id = webhook.get().id();
    return endpoints
        .rewind(id, after)
        .thenApply(
            found ->
                found
                    ? Answers.json(
                        ACCEPTED, new Replayed(Long.toString(id), since, extent.head() - after))
                    : unknown());
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such webhook");
  }
}
