package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.web.api.model.SubscriberId;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** {@code /api/v1/subscriptions}: all subscriptions, and the state of each. */
final class SubscriptionsApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private static final String ENDED = "ended";
  private static final String WEBHOOK = "webhook";
  private static final List<String> PROTOCOLS = List.of("websub", "rsscloud", WEBHOOK);
  private static final List<String> STATES =
      List.of("pending", "active", "waiting", "lagging", ENDED, SubscribedWebhooks.DISABLED);

  private final Store store;
  private final SubscribedWebhooks webhooks;
  private final Gaps gaps;
  private final BridgedUrls bridges;

  SubscriptionsApi(Store store, Gaps gaps, BridgedUrls bridges) {
    this.store = store;
    this.gaps = gaps;
    this.bridges = bridges;
    webhooks = new SubscribedWebhooks(store.webhooks(), gaps);
  }

  /** {@code GET /subscriptions}. */
  Response list(Request request) {
    Page page = Page.of(request);
    Optional<Long> afterWebhook =
        page.position().flatMap(SubscriberId::of).flatMap(SubscriberId::webhook);
    Optional<SubscriptionQueries.Key> after =
        afterWebhook.isPresent()
            ? Optional.empty()
            : page.position().map(SubscriptionsApi::position);
    Optional<String> protocol = choice(request, "protocol", PROTOCOLS);
    Optional<String> state = choice(request, "state", STATES);
    Optional<String> topic =
        Page.parameter(request, "topic").map(url -> TopicField.of("topic", url, bridges));
    Optional<String> callback = Page.parameter(request, "callback");
    Optional<String> text = Page.text(request);
    if (state.equals(Optional.of(ENDED))) {
      return ended(request, protocol, filter(topic, protocol, Optional.empty(), callback, text));
    }
    Roster roster =
        new Roster(
            isOfRoster(protocol, state)
                ? Optional.of(filter(topic, protocol, state, callback, text))
                : Optional.empty(),
            protocol.orElse(WEBHOOK).equals(WEBHOOK)
                ? SubscribedWebhooks.filter(topic, callback, text, state)
                : Optional.empty());
    Optional<Long> skip = page.skipped(request);
    List<Item> found =
        skip.isPresent()
            ? roster.listBehind(skip.get(), page.limit() + 1)
            : roster.list(after, afterWebhook, page.limit() + 1);
    return Answers.json(
        OK, page.items(found, Item::view, Item::id).counted(request, roster::count));
  }

  /** The subscriptions that are asked for. The webhooks' come after all others. */
  private final class Roster {

    /** Empty if only webhooks are asked for. */
    private final Optional<SubscriptionQueries.Filter> others;

    /** Empty if no webhook is asked for. */
    private final Optional<WebhookFilter> ofWebhooks;

    Roster(Optional<SubscriptionQueries.Filter> others, Optional<WebhookFilter> ofWebhooks) {
      this.others = others;
      this.ofWebhooks = ofWebhooks;
    }

    /** From a place that an earlier part named; from the beginning where there is none. */
    private List<Item> list(
        Optional<SubscriptionQueries.Key> after, Optional<Long> afterWebhook, int limit) {
      List<Item> found = new ArrayList<>();
      if (others.isPresent() && afterWebhook.isEmpty()) {
        store.subscriptionQueries().list(others.get(), after.orElse(null), limit).stream()
            .map(entry -> new Item(SubscriberId.of(entry.key()).toString(), view(entry)))
            .forEach(found::add);
      }
      if (ofWebhooks.isPresent() && found.size() < limit) {
        found.addAll(ofWebhooks(afterWebhook.orElse(0L), 0, limit - found.size()));
      }
      return found;
    }

    private List<Item> ofWebhooks(long after, long skip, int limit) {
      return webhooks.list(ofWebhooks.orElseThrow(), after, skip, limit).stream()
          .map(view -> new Item(view.id(), view))
          .toList();
    }

    private List<Item> listBehind(long skip, int limit) {
      Optional<SubscriptionQueries.Key> place =
          others.flatMap(filter -> store.subscriptionQueries().behind(filter, skip));
      if (place.isPresent()) {
        return list(place, Optional.empty(), limit);
      }
      return ofWebhooks.isPresent() ? ofWebhooks(0, skip - otherCount(), limit) : List.of();
    }

    private long count() {
      return otherCount() + ofWebhooks.map(webhooks::count).orElse(0L);
    }

    private long otherCount() {
      return others.map(store.subscriptionQueries()::count).orElse(0L);
    }
  }

  /** No webhook is among them: the API removes a webhook, and disables it for a while. */
  private Response ended(
      Request request, Optional<String> protocol, SubscriptionQueries.Filter filter) {
    Page page = Page.of(request);
    Optional<Long> skip = page.skipped(request);
    long after = skip.isPresent() ? 0 : ItemId.behind(page);
    boolean none = protocol.equals(Optional.of(WEBHOOK));
    List<EndedSubscriptions.Entry> found =
        none
            ? List.of()
            : store.endedSubscriptions().list(filter, after, skip.orElse(0L), page.limit() + 1);
    return Answers.json(
        OK,
        page.items(found, SubscriptionView.Subscribed::of, one -> Long.toString(one.id()))
            .counted(request, () -> none ? 0 : store.endedSubscriptions().count(filter)));
  }

  private record Item(String id, Object view) {}

  /** Whether the store's subscription queries has any such. */
  private static boolean isOfRoster(Optional<String> protocol, Optional<String> state) {
    return !protocol.equals(Optional.of(WEBHOOK))
        && !state.equals(Optional.of(SubscribedWebhooks.DISABLED));
  }

  private static SubscriptionQueries.Filter filter(
      Optional<String> topic,
      Optional<String> protocol,
      Optional<String> state,
      Optional<String> callback,
      Optional<String> text) {
    return new SubscriptionQueries.Filter(
        topic.orElse(null),
        protocol.map(name -> Protocol.valueOf(constant(name))).orElse(null),
        state.map(name -> SubscriptionState.valueOf(constant(name))).orElse(null),
        callback.orElse(null),
        text.orElse(null));
  }

  /** {@code GET /subscriptions/{id}}. */
  Response get(Request request) {
    return SubscriberId.in(request)
        .<Object>flatMap(this::found)
        .map(view -> Answers.json(OK, view))
        .orElseGet(SubscriptionsApi::unknown);
  }

  /** The subscription of any kind that has an id, whether it goes on or has ended. */
  private Optional<?> found(SubscriberId id) {
    Optional<?> live = find(id);
    return live.isPresent() || id.kind() != SubscriberId.Kind.SUBSCRIPTION
        ? live
        : store.endedSubscriptions().find(id.number()).map(SubscriptionView.Subscribed::of);
  }

  /** The subscription of any kind that has an id, if it goes on. */
  Optional<?> find(SubscriberId id) {
    Optional<Long> webhook = id.webhook();
    return webhook.isPresent()
        ? webhooks.find(webhook.get())
        : id.key().flatMap(store.subscriptionQueries()::find).map(this::view);
  }

  private SubscriptionView.Subscribed view(SubscriptionQueries.Entry entry) {
    SubscriptionQueries.Key key = entry.key();
    return SubscriptionView.Subscribed.of(
        entry, key.pending() ? List.of() : gaps.ofSubscription(key.id()));
  }

  static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such subscription, or it has ended");
  }

  private static SubscriptionQueries.Key position(String text) {
    return SubscriberId.of(text).flatMap(SubscriberId::key).orElseThrow(Page::badCursor);
  }

  private static Optional<String> choice(Request request, String name, List<String> choices) {
    Optional<String> value = Page.parameter(request, name);
    if (value.isPresent() && !choices.contains(value.get())) {
      throw new BadFieldException(name, "it must be one of " + String.join(", ", choices));
    }
    return value;
  }

  private static String constant(String label) {
    return label.toUpperCase(Locale.ROOT);
  }
}
