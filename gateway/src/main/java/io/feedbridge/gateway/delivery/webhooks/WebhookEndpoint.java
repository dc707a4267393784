package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log.Scope;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.gateway.webhook.targets.Target;
import io.feedbridge.gateway.webhook.targets.Targets;
import io.feedbridge.websub.DocumentWishes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint ready to be served: its filter is read, its feeds are at hand.
 *
 * @param starts of the feeds that it names; empty if it wants all
 * @param host of its URL
 * @param keys of its secrets, each made when it is needed first
 */
record WebhookEndpoint(
    Webhook webhook,
    Optional<Filter> filter,
    Map<Long, Long> starts,
    String host,
    Target target,
    Map<String, WebhookSecret> keys) {

  private static final Logger log = LoggerFactory.getLogger(WebhookEndpoint.class);

  static WebhookEndpoint of(Webhook webhook) {
    return new WebhookEndpoint(
        webhook,
        Optional.ofNullable(webhook.terms().filter()).flatMap(text -> filter(webhook, text)),
        webhook.topics().stream()
            .collect(Collectors.toMap(Webhook.Topic::feedId, Webhook.Topic::start)),
        webhook.host(),
        Targets.of(webhook),
        new ConcurrentHashMap<>());
  }

  /**
   * An earlier version took a few texts that are no filter any more, such as a lone bar. Entries
   * that are not wanted harm less than entries that are missed.
   */
  private static Optional<Filter> filter(Webhook webhook, String expression) {
    try {
      return Optional.of(Filter.parse(expression));
    } catch (BadQueryException e) {
      log.atError()
          .addKeyValue("webhook", webhook.id())
          .addKeyValue("filter", expression)
          .addKeyValue("reason", e.reason())
          .log(
              "The filter of a webhook cannot be read: it is sent all entries until it is changed");
      return Optional.empty();
    }
  }

  long id() {
    return webhook.id();
  }

  String url() {
    return webhook.terms().url();
  }

  /** Whether it has the receiver of another state of the webhook. */
  boolean isAt(WebhookEndpoint other) {
    return webhook.terms().hasReceiverOf(other.webhook.terms());
  }

  DocumentWishes wishes() {
    return webhook.terms().wishes();
  }

  Scope scope() {
    return starts.isEmpty() ? Scope.ALL : new Scope.Some(starts.keySet());
  }

  /** Whether an event came after its feed was named (rule L6). */
  boolean wants(Event event) {
    return starts.isEmpty() || event.seq() > starts.getOrDefault(event.feedId(), Long.MAX_VALUE);
  }

  List<WebhookSecret> secretsAt(Instant now) {
    return webhook.secretsAt(now).stream()
        .map(secret -> keys.computeIfAbsent(secret, WebhookSecret::parse))
        .toList();
  }

  /** Without its secrets. */
  @Override
  public String toString() {
    return webhook.toString();
  }

  /**
   * A message of a document, by the newest event in that: the same on each retry (rule L12).
   *
   * @param part which of the document's messages, from 0
   */
  WebhookMessage message(long eventId, int part, byte[] body) {
    String id = "msg_" + webhook.tag() + "_" + eventId;
    return new WebhookMessage(part == 0 ? id : id + "_" + (part + 1), body);
  }
}
