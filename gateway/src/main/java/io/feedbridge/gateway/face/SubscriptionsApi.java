package io.feedbridge.gateway.face;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.fanout.Fanout;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Roster;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/subscriptions}: who is subscribed, how each is doing, and what it was sent. */
final class SubscriptionsApi {

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;

  /** What its callback is told. */
  private static final String ENDED = "the operator of this hub has ended the subscription";

  private static final String PENDING = "pending-";
  private static final Pattern ID = Pattern.compile("(" + PENDING + ")?([1-9]\\d{0,17})");

  private static final List<String> PROTOCOLS = List.of("websub", "rsscloud", "webhook");
  private static final List<String> STATES = List.of("pending", "active", "lagging", "ended");

  private final Store store;
  private final Fanout fanout;
  private final Attempts attempts;
  private final Clock clock;

  SubscriptionsApi(Store store, Fanout fanout, Attempts attempts, Clock clock) {
    this.store = store;
    this.fanout = fanout;
    this.attempts = attempts;
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
      Roster.@Nullable Behind behind) {

    static View of(Roster.Entry entry) {
      return new View(
          text(entry.key()),
          label(entry.protocol()),
          entry.topic(),
          entry.callback(),
          label(entry.format()),
          label(entry.state()),
          entry.leaseEndsAt(),
          entry.createdAt(),
          entry.behind());
    }
  }

  /** An attempt as the API shows it. */
  record DeliveryView(
      String id,
      Instant at,
      String eventId,
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
          Long.toString(attempt.eventId()),
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
    Optional<Roster.Key> after = page.position().map(SubscriptionsApi::position);
    Optional<String> protocol = choice(request, "protocol", PROTOCOLS);
    Optional<String> state = choice(request, "state", STATES);
    Optional<String> topic = Page.parameter(request, "topic").map(SubscriptionsApi::topic);
    if (protocol.equals(Optional.of("webhook")) || state.equals(Optional.of("ended"))) {
      // Neither kind is in the store.
      return Answers.json(OK, new Answers.Items(List.of(), null));
    }
    Roster.Filter filter =
        new Roster.Filter(
            topic.orElse(null),
            protocol.map(name -> Protocol.valueOf(constant(name))).orElse(null),
            state.map(name -> SubscriptionState.valueOf(constant(name))).orElse(null),
            Page.parameter(request, "callback").orElse(null));
    List<Roster.Entry> found = store.roster().list(filter, after.orElse(null), page.limit() + 1);
    return Answers.json(OK, page.items(found, View::of, entry -> text(entry.key())));
  }

  /** {@code GET /subscriptions/{id}}. */
  Response get(Request request) {
    return entry(request)
        .map(entry -> Answers.json(OK, View.of(entry)))
        .orElseGet(SubscriptionsApi::unknown);
  }

  /** {@code DELETE /subscriptions/{id}}. */
  Response delete(Request request) {
    Instant now = clock.instant();
    boolean ended =
        key(request)
            .map(
                key ->
                    key.pending()
                        ? store.roster().withdraw(key.id(), now).join()
                        : store.subscriptions().deny(key.id(), ENDED, now).join())
            .orElse(false);
    return ended ? Response.noContent() : unknown();
  }

  /** {@code GET /subscriptions/{id}/deliveries}; of one that has ended too, as long as any are. */
  Response deliveries(Request request) {
    Page page = Page.of(request);
    long before = page.position().map(SubscriptionsApi::deliveryPosition).orElse(Long.MAX_VALUE);
    Optional<Roster.Key> key = key(request);
    List<Attempt> all =
        key.filter(known -> !known.pending())
            .map(known -> attempts.of(known.id()))
            .orElse(List.of());
    if (all.isEmpty() && entry(request).isEmpty()) {
      return unknown();
    }
    List<Attempt> found = all.stream().filter(attempt -> attempt.id() < before).toList();
    return Answers.json(
        OK, page.items(found, DeliveryView::of, attempt -> Long.toString(attempt.id())));
  }

  /** {@code POST /subscriptions/{id}/retry}. */
  Response retry(Request request) {
    Optional<Roster.Entry> entry = entry(request);
    if (entry.isEmpty()) {
      return unknown();
    }
    Roster.Key key = entry.get().key();
    if (!key.pending()) {
      fanout.retry(key.id()).join();
    }
    return Answers.json(ACCEPTED, View.of(store.roster().find(key).orElse(entry.get())));
  }

  private Optional<Roster.Entry> entry(Request request) {
    return key(request).flatMap(store.roster()::find);
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such subscription");
  }

  private static Optional<Roster.Key> key(Request request) {
    return key(request.pathVariables().getOrDefault("id", ""));
  }

  private static Optional<Roster.Key> key(String id) {
    Matcher matcher = ID.matcher(id);
    return matcher.matches()
        ? Optional.of(new Roster.Key(matcher.group(1) != null, Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }

  private static String text(Roster.Key key) {
    return (key.pending() ? PENDING : "") + key.id();
  }

  private static Roster.Key position(String text) {
    return key(text).orElseThrow(Page::badCursor);
  }

  private static long deliveryPosition(String text) {
    return key(text).filter(key -> !key.pending()).orElseThrow(Page::badCursor).id();
  }

  private static Optional<String> choice(Request request, String name, List<String> choices) {
    Optional<String> value = Page.parameter(request, name);
    if (value.isPresent() && !choices.contains(value.get())) {
      throw new BadFieldException(name, "it is one of " + String.join(", ", choices));
    }
    return value;
  }

  private static String topic(String url) {
    try {
      return TopicUrl.normalize(url);
    } catch (BadHubRequestException e) {
      throw new BadFieldException("topic", e.reason());
    }
  }

  private static String constant(String label) {
    return label.toUpperCase(Locale.ROOT);
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
