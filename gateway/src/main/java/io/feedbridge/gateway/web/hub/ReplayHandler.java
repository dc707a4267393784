package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code hub.mode=replay}: past notifications are delivered again. */
final class ReplayHandler {

  private static final int MAX_COUNT = 50;

  private final Fanout fanout;
  private final LoginSubscriptions loginSubscriptions;
  private final HubSearch search;

  ReplayHandler(Fanout fanout, LoginSubscriptions loginSubscriptions, HubSearch search) {
    this.fanout = fanout;
    this.loginSubscriptions = loginSubscriptions;
    this.search = search;
  }

  /** Answered once the replay is durable, whether {@code async} is set or not. */
  CompletionStage<Response> replay(HubCaller caller, HubParameters parameters) {
    int count = parameters.number("count", 1, MAX_COUNT).orElse(1);
    parameters.flag("async");
    for (String needed : List.of("hub.topic", "hub.callback")) {
      if (parameters.single(needed).isEmpty()) {
        throw HubRefusal.unprocessable(needed + " is missing");
      }
    }
    List<LoginSubscriptions.Holding> found =
        loginSubscriptions.list(search.filter(caller, parameters), 1, 0);
    if (found.isEmpty()) {
      throw HubRefusal.notFound("there is no subscription of yours to it at this callback");
    }
    if (NullDevice.is(found.get(0).subscription().callback())) {
      throw HubRefusal.unprocessable("nothing is delivered to the null device: retrieve instead");
    }
    return fanout
        .replay(found.get(0).subscription(), count)
        .thenApply(done -> Response.noContent());
  }
}
