package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.delivery.send.Resends;
import io.feedbridge.gateway.delivery.webhooks.EndpointTrials;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.DeliveryView;
import io.feedbridge.gateway.web.api.model.SubscriberId;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.ApiCalls;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.EventTitles;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.Page;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code …/deliveries} of subscriptions and of webhooks: the attempts on record, each of them in
 * full, and once more.
 */
public final class DeliveriesApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  /** Besides the names of outcomes. */
  private static final String FAILED = "failed";

  private static final List<String> OUTCOMES =
      Stream.concat(Stream.of(FAILED, DeliveryView.UNDER_WAY), DeliveryView.outcomes()).toList();

  private final Store store;
  private final Attempts attempts;
  private final Resends resends;
  private final EndpointTrials trials;

  /** The calls over the record of attempts. */
  public DeliveriesApi(Store store, Attempts attempts, Resends resends, EndpointTrials trials) {
    this.store = store;
    this.attempts = attempts;
    this.resends = resends;
    this.trials = trials;
  }

  /** Adds the routes below the paths of subscriptions and of webhooks. */
  public Router.Builder addTo(
      Router.Builder routes, String subscriptions, String webhooks, ApiCalls calls) {
    addTo(routes, subscriptions, calls, SubscriberId::in);
    return addTo(
        routes,
        webhooks,
        calls,
        request -> ItemId.in(request).map(id -> new SubscriberId(SubscriberId.Kind.WEBHOOK, id)));
  }

  private Router.Builder addTo(
      Router.Builder routes,
      String path,
      ApiCalls calls,
      Function<Request, Optional<SubscriberId>> subscriber) {
    String all = path + "/{id}/deliveries";
    String one = all + "/{delivery}";
    return routes
        .route("GET", all, calls.guarded(request -> list(request, subscriber.apply(request))))
        .route("GET", one, calls.guarded(request -> get(request, subscriber.apply(request))))
        .route(
            "POST",
            one + "/resend",
            calls.guardedLater(request -> resend(request, subscriber.apply(request))));
  }

  private List<Attempt> of(Optional<SubscriberId> subscriber) {
    return subscriber.stream()
        .flatMapToLong(id -> id.recorded().stream())
        .mapToObj(attempts::of)
        .flatMap(List::stream)
        .toList();
  }

  /** {@code GET …/deliveries}; of a subscriber that has ended too, as long as any are. */
  private Response list(Request request, Optional<SubscriberId> subscriber) {
    Page page = Page.of(request);
    long before = page.position().map(DeliveriesApi::position).orElse(Long.MAX_VALUE);
    Predicate<Attempt> wanted = wanted(request);
    List<Attempt> all = of(subscriber);
    if (all.isEmpty() && subscriber.filter(this::exists).isEmpty()) {
      return Answers.problem(NOT_FOUND, "there is no such subscription or webhook");
    }
    List<Attempt> found =
        all.stream().filter(attempt -> attempt.id() < before).filter(wanted).toList();
    EventTitles titles = titles(found.stream().limit(page.limit()));
    return Answers.json(
        OK,
        page.items(
            found,
            attempt -> DeliveryView.of(attempt, titles.of(attempt.eventId())),
            attempt -> Long.toString(attempt.id())));
  }

  private EventTitles titles(Stream<Attempt> shown) {
    return EventTitles.of(
        store.log(),
        shown.map(Attempt::eventId).filter(seq -> seq > 0).collect(Collectors.toSet()));
  }

  private boolean exists(SubscriberId id) {
    return id.webhook()
        .map(number -> store.webhooks().byId(number).isPresent())
        .orElseGet(
            () ->
                id.key().flatMap(store.subscriptionQueries()::find).isPresent()
                    || (id.kind() == SubscriberId.Kind.SUBSCRIPTION
                        && store.endedSubscriptions().find(id.number()).isPresent()));
  }

  private static Predicate<Attempt> wanted(Request request) {
    Optional<String> outcome = Page.parameter(request, "outcome");
    if (outcome.isPresent() && !OUTCOMES.contains(outcome.get())) {
      throw new BadFieldException("outcome", "it must be one of " + String.join(", ", OUTCOMES));
    }
    Optional<String> event = Page.parameter(request, "event");
    if (event.isPresent() && !event.get().matches("[1-9]\\d{0,17}")) {
      throw new BadFieldException("event", "the id of an event is needed");
    }
    return attempt -> {
      String is = DeliveryView.outcome(attempt);
      return outcome.stream()
              .allMatch(name -> name.equals(FAILED) ? DeliveryView.isFailure(is) : name.equals(is))
          && event.stream().allMatch(id -> id.equals(Long.toString(attempt.eventId())));
    };
  }

  private static long position(String text) {
    return SubscriberId.of(text)
        .filter(id -> id.kind() == SubscriberId.Kind.SUBSCRIPTION)
        .orElseThrow(Page::badCursor)
        .number();
  }

  private Optional<Attempt> find(Optional<SubscriberId> subscriber, String id) {
    return of(subscriber).stream()
        .filter(attempt -> Long.toString(attempt.id()).equals(id))
        .findFirst();
  }

  private Response answer(Optional<Attempt> found) {
    return found
        .map(
            one ->
                new DeliveryView.One(
                    DeliveryView.of(one, titles(Stream.of(one)).of(one.eventId())),
                    attempts.exchange(one).orElse(null)))
        .map(one -> Answers.json(OK, one))
        .orElseGet(DeliveriesApi::unknown);
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such delivery on record");
  }

  /** {@code GET …/deliveries/{delivery}}. */
  private Response get(Request request, Optional<SubscriberId> subscriber) {
    return answer(find(subscriber, delivery(request)));
  }

  private static String delivery(Request request) {
    return request.pathVariables().getOrDefault("delivery", "");
  }

  /**
   * {@code POST …/deliveries/{delivery}/resend}: sends the newest event of a delivery once more, as
   * the subscriber wants it now, and answers with the new delivery.
   */
  private CompletionStage<Response> resend(Request request, Optional<SubscriberId> subscriber) {
    Optional<Attempt> asked = find(subscriber, delivery(request));
    if (asked.isEmpty()) {
      return done(unknown());
    }
    long event = asked.get().eventId();
    if (event == 0) {
      return done(
          refused("it was a test, a verification or a digest: it has no event to send once more"));
    }
    SubscriberId id = subscriber.orElseThrow();
    Optional<Webhook> webhook = id.webhook().flatMap(store.webhooks()::byId);
    if (webhook.filter(one -> !one.verified()).isPresent()) {
      return done(refused("it is not verified yet: the gateway sends only the verification"));
    }
    Optional<Subscription> subscription =
        id.webhook().isPresent() ? Optional.empty() : store.subscriptions().byId(id.number());
    if (webhook.isEmpty() && subscription.isEmpty()) {
      return done(refused("the subscription has ended: it is sent nothing"));
    }
    Optional<Event> logged =
        store.log().read(event - 1, event, Log.Scope.ALL).events().stream().findFirst();
    if (logged.isEmpty()) {
      return done(
          refused(
              "the log has event %d no more: --retention keeps it for longer".formatted(event)));
    }
    return subscription
        .map(one -> resends.send(one, event))
        .orElseGet(() -> trials.resend(webhook.orElseThrow(), logged.get()))
        .<CompletionStage<Response>>map(
            sent -> sent.thenApply(number -> answer(find(subscriber, Long.toString(number)))))
        .orElseGet(
            () ->
                done(
                    refused(
                        "event %d brings this subscriber nothing, as its filter and format are now"
                            .formatted(event))));
  }

  private static Response refused(String why) {
    return Answers.problem(CONFLICT, why);
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }
}
