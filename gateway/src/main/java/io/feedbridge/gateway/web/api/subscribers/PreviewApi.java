package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.publish.FilterPreview;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.webhook.Filter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code POST /api/v1/webhooks/preview}: tries a filter out before a webhook has it. */
final class PreviewApi {

  private static final int OK = 200;

  private final FilterPreview preview;
  private final BridgedUrls bridges;
  private final Policies policies;

  PreviewApi(FilterPreview preview, BridgedUrls bridges, Policies policies) {
    this.preview = preview;
    this.bridges = bridges;
    this.policies = policies;
  }

  /**
   * The webhook that might be made.
   *
   * @param filter absent for each entry
   */
  record Asked(@Nullable List<@Nullable String> topics, @Nullable String filter) {}

  /** One of the newest entries, and whether it would be sent. */
  record Item(String id, @Nullable String title, boolean matches) {}

  /** The newest entries, the newest first; the list has no further part. */
  record Items(List<Item> items) {}

  /** {@code POST /webhooks/preview}. */
  Response preview(Request request) {
    Asked asked = JsonBody.read(request, Asked.class);
    Optional<Filter> filter = Optional.ofNullable(asked.filter).map(WebhookFields::parsed);
    List<String> topics = WebhookFields.topics(asked.topics, bridges, policies);
    return Answers.json(
        OK,
        new Items(
            preview.of(topics, filter).stream()
                .map(one -> new Item(one.id(), one.title(), one.matches()))
                .toList()));
  }
}
