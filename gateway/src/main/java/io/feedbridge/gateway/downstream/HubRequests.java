package io.feedbridge.gateway.downstream;

import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.gateway.store.Verification;
import io.feedbridge.websub.ContentFormat;
import io.feedbridge.websub.HubRequest;
import io.feedbridge.websub.LeasePolicy;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;

/**
 * Takes WebSub subscription requests. They are durable when the future completes; whether they come
 * to anything is for the {@link Verifier} to find out (rule H2). Safe for use by several threads.
 */
public final class HubRequests {

  private final Subscriptions subscriptions;
  private final LeasePolicy leases;
  private final Format defaultFormat;
  private final Clock clock;

  /**
   * Wires the part.
   *
   * @param defaultFormat what a subscription that names none gets
   */
  public HubRequests(
      Subscriptions subscriptions, LeasePolicy leases, Format defaultFormat, Clock clock) {
    this.subscriptions = subscriptions;
    this.leases = leases;
    this.defaultFormat = defaultFormat;
    this.clock = clock;
  }

  /** Somebody wants to subscribe, or to renew. */
  public CompletableFuture<Verification> subscribe(HubRequest.Subscribe request) {
    Terms terms =
        new Terms(
            request.requestedTopic(),
            request.format().map(HubRequests::format).orElse(defaultFormat),
            request.secret().orElse(null),
            request.signatureMethod().value(),
            request.updates(),
            request.legacy(),
            leases.grant(request.lease()));
    return subscriptions.request(
        Verification.Mode.SUBSCRIBE,
        request.topic(),
        request.callback(),
        terms,
        request.verifyToken().orElse(null),
        clock.instant());
  }

  /** Somebody wants no more; verified even if there is nothing to end (rule H9). */
  public CompletableFuture<Verification> unsubscribe(HubRequest.Unsubscribe request) {
    Terms none =
        new Terms(
            request.requestedTopic(), defaultFormat, null, "", false, false, leases.standard());
    return subscriptions.request(
        Verification.Mode.UNSUBSCRIBE,
        request.topic(),
        request.callback(),
        none,
        request.verifyToken().orElse(null),
        clock.instant());
  }

  private static Format format(ContentFormat format) {
    return switch (format) {
      case ATOM -> Format.ATOM;
      case JSON -> Format.JSON;
      case RAW -> Format.RAW;
    };
  }
}
