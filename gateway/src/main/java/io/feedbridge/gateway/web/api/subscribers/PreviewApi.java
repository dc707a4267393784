package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.publish.FilterPreview;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.PreviewItem;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.gateway.webhook.targets.BadTemplateException;
import io.feedbridge.gateway.webhook.targets.Target;
import io.feedbridge.gateway.webhook.targets.Targets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/webhooks/preview}: tries a filter and a target out before a webhook has it.
 */
final class PreviewApi {

  private static final int OK = 200;

  private static final String NO_URL = "https://localhost/none";

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
   * @param target absent for the standard one
   */
  record Asked(
      @Nullable List<@Nullable String> topics,
      @Nullable String filter,
      @Nullable String target,
      @Nullable String template) {}

  /** {@code POST /webhooks/preview}. */
  Response preview(Request request) {
    Asked asked = JsonBody.read(request, Asked.class);
    Optional<Filter> filter = Optional.ofNullable(asked.filter).map(WebhookFields::parsed);
    List<String> topics = WebhookFields.topics(asked.topics, bridges, policies);
    return Answers.json(
        OK,
        new PreviewItem.Items(
            preview.of(topics, filter).stream()
                .map(one -> new PreviewItem(one.id(), one.title(), one.matches()))
                .toList(),
            messages(topics, filter, target(asked))));
  }

  private List<String> messages(List<String> topics, Optional<Filter> filter, Target target) {
    try {
      return preview.messages(topics, filter, target);
    } catch (BadTemplateException e) {
      throw new BadFieldException("template", String.valueOf(e.getMessage()));
    }
  }

  /** No message is sent, and so no URL or token is needed. */
  private static Target target(Asked asked) {
    Webhook.TargetKind kind = TargetFields.kind(asked.target);
    String template = kind == Webhook.TargetKind.TEMPLATE ? asked.template : null;
    if (kind == Webhook.TargetKind.TEMPLATE) {
      TargetFields.requireTemplate(template);
    }
    return Targets.of(NO_URL, new Webhook.Target(kind, "", template));
  }
}
