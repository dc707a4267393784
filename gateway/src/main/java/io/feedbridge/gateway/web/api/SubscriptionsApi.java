package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.attempts.Exchange;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/subscriptions}: all subscriptions, the state of each, and its deliveries. */
final class SubscriptionsApi {

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;

  /** The reason that an ended subscription's callback is told. */
  private static final String ENDED = "the operator of this hub has ended the subscription";

  private static final String PENDING = "pending-";
  private static final Pattern ID = Pattern.compile("(" + PENDING + ")?([1-9]\\d{0,17})");

  private static final String WEBHOOK = "webhook";
  private static final List<String> PROTOCOLS = List.of("websub", "rsscloud", WEBHOOK);
  private static final List<String> STATES =
      List.of("pending", "active", "waiting", "lagging", "ended", SubscribedWebhooks.DISABLED);

  private final Store store;
  private final Fanout fanout;
  private final SubscribedWebhooks webhooks;
  private final Attempts attempts;
  private final Gaps gaps;
  private final BridgedUrls bridges;
  private final Clock clock;

  SubscriptionsApi(
      Store store,
      Fanout fanout,
      SubscribedWebhooks webhooks,
      Attempts attempts,
      Gaps gaps,
      BridgedUrls bridges,
      Clock clock) {
    this.store = store;
    this.fanout = fanout;
    this.webhooks = webhooks;
    this.attempts = attempts;
    this.gaps = gaps;
    this.bridges = bridges;
    this.clock = clock;
  }

  /** A subscription as the API shows it; its secret is no part of that. */
  record View(
      String id,
      String protocol,
      String topic,
      String callback,
      String format,
      String state,
      @Nullable Instant leaseEndsAt,
      Instant createdAt,
      SubscriptionQueries.@Nullable Behind behind,
      List<Gaps.View> gaps) {

    static View of(SubscriptionQueries.Entry entry, List<Gaps.View> gaps) {
      return new View(
          text(entry.key()),
          label(entry.protocol()),
          entry.topic(),
          entry.callback(),
          label(entry.format()),
          label(entry.state()),
          entry.leaseEndsAt(),
          entry.createdAt(),
          entry.behind(),
          gaps);
    }
  }

  /** An attempt as the API shows it. */
  record DeliveryView(
      String id,
      Instant at,
      @Nullable String eventId,
      int attempt,
      String kind,
      String outcome,
      @Nullable Integer status,
      @Nullable String error,
      @Nullable Long durationMs,
      int bytes) {

    static DeliveryView of(Attempt attempt) {
      DeliveryOutcome outcome = attempt.outcome();
      Duration took = attempt.took();
      return new DeliveryView(
          Long.toString(attempt.id()),
          attempt.at(),
          attempt.eventId() == 0 ? null : Long.toString(attempt.eventId()),
          attempt.number(),
          label(attempt.kind()),
          outcome == null ? "under_way" : label(outcome),
          attempt.status() == 0 ? null : attempt.status(),
          outcome == null ? null : error(outcome, attempt.status()),
          took == null ? null : took.toMillis(),
          attempt.bytes());
    }

    private static @Nullable String error(DeliveryOutcome outcome, int status) {
      return switch (outcome) {
        case DELIVERED -> null;
        case REFUSED, GONE -> "HTTP " + status;
        case TIMEOUT -> "the answer was not complete in time";
        case UNRESOLVED -> "the host's name has no address";
        case CONNECT -> "no connection could be opened";
        case TLS -> "the TLS handshake failed";
        case BROKEN -> "the connection broke, or the answer was not HTTP";
        case REDIRECTS -> "it redirected too often";
        case FORBIDDEN -> "its URL or address may not be called";
        case SATURATED -> "the gateway had too much under way; nothing was sent";
        case UNMAKEABLE -> "the request could not be made; nothing was sent";
        case CUT_OFF -> "the gateway stopped before the answer came";
      };
    }
  }

  /** {@code GET /subscriptions}. */
  Response list(Request request) {
    Page page = Page.of(request);
    Optional<Long> afterWebhook = page.position().flatMap(SubscribedWebhooks::id);
    Optional<SubscriptionQueries.Key> after =
        afterWebhook.isPresent()
            ? Optional.empty()
            : page.position().map(SubscriptionsApi::position);
    Optional<String> protocol = choice(request, "protocol", PROTOCOLS);
    Optional<String> state = choice(request, "state", STATES);
    Optional<String> topic =
        Page.parameter(request, "topic").map(url -> TopicField.of("topic", url, bridges));
    Optional<String> callback = Page.parameter(request, "callback");
    List<Item> found = new ArrayList<>();
    // The webhooks' subscriptions come after all others.
    if (afterWebhook.isEmpty() && isOfRoster(protocol, state)) {
      SubscriptionQueries.Filter filter = filter(topic, protocol, state, callback);
      store.subscriptionQueries().list(filter, after.orElse(null), page.limit() + 1).stream()
          .map(entry -> new Item(text(entry.key()), view(entry)))
          .forEach(found::add);
    }
    if (found.size() <= page.limit() && protocol.orElse(WEBHOOK).equals(WEBHOOK)) {
      int more = page.limit() + 1 - found.size();
      webhooks.list(topic, callback, state, afterWebhook.orElse(0L), more).stream()
          .map(view -> new Item(view.id(), view))
          .forEach(found::add);
    }
    return Answers.json(OK, page.items(found, Item::view, Item::id));
  }

  private record Item(String id, Object view) {}

  /** Whether the store's subscription queries has any such. */
  private static boolean isOfRoster(Optional<String> protocol, Optional<String> state) {
    return !protocol.equals(Optional.of(WEBHOOK))
        && !state.equals(Optional.of("ended"))
        && !state.equals(Optional.of(SubscribedWebhooks.DISABLED));
  }

  private static SubscriptionQueries.Filter filter(
      Optional<String> topic,
      Optional<String> protocol,
      Optional<String> state,
      Optional<String> callback) {
    return new SubscriptionQueries.Filter(
        topic.orElse(null),
        protocol.map(name -> Protocol.valueOf(constant(name))).orElse(null),
        state.map(name -> SubscriptionState.valueOf(constant(name))).orElse(null),
        callback.orElse(null));
  }

  /** {@code GET /subscriptions/{id}}. */
  Response get(Request request) {
    return view(request).map(view -> Answers.json(OK, view)).orElseGet(SubscriptionsApi::unknown);
  }

  /** {@code DELETE /subscriptions/{id}}. */
  Response delete(Request request) {
    Instant now = clock.instant();
    Optional<Long> webhook = webhook(request);
    if (webhook.isPresent()) {
      return webhooks.remove(webhook.get()) ? Response.noContent() : unknown();
    }
    boolean ended =
        key(request)
            .map(
                key ->
                    key.pending()
                        ? store.subscriptionQueries().withdraw(key.id(), now).join()
                        : store.subscriptions().deny(key.id(), ENDED, now).join())
            .orElse(false);
    return ended ? Response.noContent() : unknown();
  }

  private List<Attempt> attempts(Request request) {
    Optional<Long> number =
        webhook(request)
            .map(Attempts::ofWebhook)
            .or(() -> key(request).filter(key -> !key.pending()).map(SubscriptionQueries.Key::id));
    return number.map(attempts::of).orElse(List.of());
  }

  /** {@code GET /subscriptions/{id}/deliveries}; of one that has ended too, as long as any are. */
  Response deliveries(Request request) {
    List<Attempt> all = attempts(request);
    if (all.isEmpty() && view(request).isEmpty()) {
      return unknown();
    }
    return deliveries(request, all);
  }

  /** A part of the list of deliveries, as the request asks for it. */
  static Response deliveries(Request request, List<Attempt> all) {
    Page page = Page.of(request);
    long before = page.position().map(SubscriptionsApi::deliveryPosition).orElse(Long.MAX_VALUE);
    List<Attempt> found = all.stream().filter(attempt -> attempt.id() < before).toList();
    return Answers.json(
        OK, page.items(found, DeliveryView::of, attempt -> Long.toString(attempt.id())));
  }

  /**
   * A delivery in full.
   *
   * @param exchange absent where it is not kept
   */
  record OneDelivery(DeliveryView delivery, @Nullable Exchange exchange) {}

  /** {@code GET /subscriptions/{id}/deliveries/{delivery}}. */
  Response delivery(Request request) {
    return delivery(request, attempts(request), attempts);
  }

  /** The delivery that the request names, if it is among the attempts of its subscriber. */
  static Response delivery(Request request, List<Attempt> all, Attempts attempts) {
    String id = request.pathVariables().getOrDefault("delivery", "");
    return all.stream()
        .filter(attempt -> Long.toString(attempt.id()).equals(id))
        .findFirst()
        .map(
            found -> new OneDelivery(DeliveryView.of(found), attempts.exchange(found).orElse(null)))
        .map(one -> Answers.json(OK, one))
        .orElseGet(() -> Answers.problem(NOT_FOUND, "there is no such delivery on record"));
  }

  /** {@code POST /subscriptions/{id}/retry}. */
  Response retry(Request request) {
    Optional<Long> webhook = webhook(request);
    if (webhook.isPresent()) {
      return webhooks
          .retry(webhook.get())
          .map(view -> Answers.json(ACCEPTED, view))
          .orElseGet(SubscriptionsApi::unknown);
    }
    Optional<SubscriptionQueries.Entry> entry = entry(request);
    if (entry.isEmpty()) {
      return unknown();
    }
    SubscriptionQueries.Key key = entry.get().key();
    if (!key.pending()) {
      fanout.retry(key.id()).join();
    }
    return Answers.json(ACCEPTED, view(store.subscriptionQueries().find(key).orElse(entry.get())));
  }

  private Optional<?> view(Request request) {
    Optional<Long> webhook = webhook(request);
    return webhook.isPresent() ? webhooks.find(webhook.get()) : entry(request).map(this::view);
  }

  private View view(SubscriptionQueries.Entry entry) {
    SubscriptionQueries.Key key = entry.key();
    return View.of(entry, key.pending() ? List.of() : gaps.ofSubscription(key.id()));
  }

  private static Optional<Long> webhook(Request request) {
    return SubscribedWebhooks.id(request.pathVariables().getOrDefault("id", ""));
  }

  private Optional<SubscriptionQueries.Entry> entry(Request request) {
    return key(request).flatMap(store.subscriptionQueries()::find);
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such subscription");
  }

  private static Optional<SubscriptionQueries.Key> key(Request request) {
    return key(request.pathVariables().getOrDefault("id", ""));
  }

  private static Optional<SubscriptionQueries.Key> key(String id) {
    Matcher matcher = ID.matcher(id);
    return matcher.matches()
        ? Optional.of(
            new SubscriptionQueries.Key(matcher.group(1) != null, Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }

  private static String text(SubscriptionQueries.Key key) {
    return (key.pending() ? PENDING : "") + key.id();
  }

  private static SubscriptionQueries.Key position(String text) {
    return key(text).orElseThrow(Page::badCursor);
  }

  private static long deliveryPosition(String text) {
    return key(text).filter(key -> !key.pending()).orElseThrow(Page::badCursor).id();
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

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
