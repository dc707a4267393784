package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.HubRequest;
import io.feedbridge.websub.VerifyMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Subscriptions by Superfeedr's calls: with credentials, so that no callback is asked unless {@code
 * hub.verify} demands it. Any fault is answered 422 with its reason.
 */
final class HubSubscribers {

  private static final int ACCEPTED = 202;
  private static final String CALLBACK = "hub.callback";
  private static final String TOPIC = "hub.topic";
  private static final String FORMAT = "format";

  private final HubRequests requests;
  private final Store store;
  private final HubTopics topics;
  private final RetrieveHandler retrieve;
  private final Policies policies;
  private final CallerThreads blocking;

  HubSubscribers(
      HubRequests requests,
      Store store,
      HubTopics topics,
      RetrieveHandler retrieve,
      Policies policies,
      CallerThreads blocking) {
    this.requests = requests;
    this.store = store;
    this.topics = topics;
    this.retrieve = retrieve;
    this.policies = policies;
    this.blocking = blocking;
  }

  /** Whether the Accept header asks for JSON. */
  static boolean wantsJson(Request request) {
    return request.headers().all("Accept").stream()
        .map(accept -> accept.toLowerCase(Locale.ROOT))
        .anyMatch(accept -> accept.contains("application/json"));
  }

  /** {@code hub.mode=subscribe}. Blocks. */
  CompletionStage<Response> subscribe(HubCaller caller, Request request, HubParameters parameters) {
    caller.with(Right.SUBSCRIBE);
    parameters.single(TOPIC).ifPresent(topics::checkOffered);
    boolean wantsDocument = parameters.flag("retrieve");
    Map<String, List<String>> form = new LinkedHashMap<>(parameters.values());
    if (parameters.single(FORMAT).isEmpty() && wantsJson(request)) {
      form.put(FORMAT, List.of("json"));
    }
    HubRequest.Subscribe subscribe = (HubRequest.Subscribe) parse(form);
    Sponsor sponsor = sponsor(caller, subscribe.callback(), subscribe.verify());
    try {
      checkPermitted(subscribe, sponsor);
      if (isAsync(sponsor, subscribe.verify())) {
        return requests.subscribe(subscribe, sponsor).thenApply(pending -> accepted());
      }
      return requests
          .subscribeNow(subscribe, sponsor, GatewayPath.NONE)
          .thenCompose(
              refusal ->
                  blocking.supply(
                      request,
                      () -> subscribed(request, subscribe, sponsor, refusal, wantsDocument)));
    } catch (BadBridgeException e) {
      throw HubRefusal.unprocessable(e.reason());
    }
  }

  /** The operator's policies hold for every caller. */
  private void checkPermitted(HubRequest.Subscribe subscribe, Sponsor sponsor) {
    String callback = requests.callback(subscribe.callback(), sponsor);
    policies
        .callbackRefusal(callback)
        .ifPresent(
            why -> {
              throw HubRefusal.forbidden(CALLBACK + ": " + why);
            });
    String topic = requests.feed(subscribe.topic());
    policies
        .topicRefusal(topic)
        .or(
            () ->
                sponsor.isOperator() || !store.privateFeeds().contains(topic)
                    ? Optional.empty()
                    : Optional.of(PrivateFeeds.REFUSED))
        .ifPresent(
            why -> {
              throw HubRefusal.forbidden(TOPIC + ": " + why);
            });
  }

  private static HubRequest parse(Map<String, List<String>> form) {
    try {
      return HubRequest.parse(form);
    } catch (BadHubRequestException e) {
      throw HubRefusal.unprocessable(e.reason());
    }
  }

  /** A caller that asks for verification is verified; the null device cannot be. */
  private Sponsor sponsor(HubCaller caller, String callback, Optional<VerifyMode> verify) {
    Sponsor sponsor = caller.sponsor();
    return verify.isPresent() && !NullDevice.is(requests.callback(callback, sponsor))
        ? sponsor.asking()
        : sponsor;
  }

  private static boolean isAsync(Sponsor sponsor, Optional<VerifyMode> verify) {
    return !sponsor.vouches() && verify.filter(VerifyMode.ASYNC::equals).isPresent();
  }

  private static Response accepted() {
    return Response.text(
        ACCEPTED,
        "accepted: the callback must now return the challenge; if it"
            + " cannot be called, or does not, the request is dropped"
            + " and /log shows the reason\n");
  }

  private Response subscribed(
      Request request,
      HubRequest.Subscribe subscribe,
      Sponsor sponsor,
      Optional<String> refusal,
      boolean wantsDocument) {
    if (refusal.isPresent()) {
      throw HubRefusal.unprocessable("not subscribed: " + refusal.get());
    }
    if (!wantsDocument) {
      return Response.noContent();
    }
    String topic = requests.feed(subscribe.topic());
    LoginSubscriptions.Filter made =
        LoginSubscriptions.Filter.of(null)
            .to(topic)
            .at(requests.callback(subscribe.callback(), sponsor));
    return store.loginSubscriptions().list(made, 1, 0).stream()
        .findFirst()
        .flatMap(one -> retrieve.current(request, one.feed(), one.subscription().terms().format()))
        // The feed may have become private in between.
        .filter(current -> sponsor.isOperator() || !store.privateFeeds().contains(topic))
        .orElseGet(Response::noContent);
  }

  /** {@code hub.mode=unsubscribe}. Blocks. */
  CompletionStage<Response> unsubscribe(HubCaller caller, HubParameters parameters) {
    caller.with(Right.UNSUBSCRIBE);
    Map<String, List<String>> form = new LinkedHashMap<>(parameters.values());
    if (parameters.single(CALLBACK).isEmpty()) {
      form.put(CALLBACK, List.of(onlyCallback(caller, parameters)));
    }
    HubRequest.Unsubscribe unsubscribe = (HubRequest.Unsubscribe) parse(form);
    Sponsor sponsor = sponsor(caller, unsubscribe.callback(), unsubscribe.verify());
    try {
      if (isAsync(sponsor, unsubscribe.verify())) {
        return requests.unsubscribe(unsubscribe, sponsor).thenApply(pending -> accepted());
      }
      return requests
          .unsubscribeNow(unsubscribe, sponsor)
          .thenApply(
              refusal -> {
                if (refusal.isPresent()) {
                  throw HubRefusal.unprocessable("not unsubscribed: " + refusal.get());
                }
                return Response.noContent();
              });
    } catch (BadBridgeException e) {
      throw HubRefusal.unprocessable(e.reason());
    }
  }

  private String onlyCallback(HubCaller caller, HubParameters parameters) {
    String topic =
        parameters
            .single(TOPIC)
            .map(topics::of)
            .orElseThrow(() -> HubRefusal.unprocessable(TOPIC + " is missing"));
    List<LoginSubscriptions.Holding> found =
        store
            .loginSubscriptions()
            .list(LoginSubscriptions.Filter.of(caller.login()).to(topic), 2, 0);
    if (found.size() != 1) {
      throw HubRefusal.unprocessable(
          found.isEmpty()
              ? "there is no subscription of yours to it"
              : CALLBACK
                  + " is missing, and there are several subscriptions of yours to the topic");
    }
    return NullDevice.named(found.get(0).subscription().callback());
  }
}
