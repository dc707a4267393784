package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.websub.ContentFormat;
import io.feedbridge.websub.HubRequest;
import io.feedbridge.websub.LeasePolicy;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Takes WebSub subscription requests. They are durable when the future completes; the {@link
 * Verifier} then verifies them (rule H2). Safe for use by several threads.
 */
public final class HubRequests {

  /** How long a caller waits that wants its request verified before the answer. */
  static final Duration SYNC_WAIT = Duration.ofSeconds(30);

  private static final String TOO_LONG = "it took too long to be verified";

  private final Subscriptions subscriptions;
  private final LeasePolicy leases;
  private final Format defaultFormat;
  private final BridgedUrls bridges;
  private final String publicUrl;
  private final Timer timer;
  private final Clock clock;
  private final Outcomes outcomes;

  /**
   * Wires the part.
   *
   * @param defaultFormat the format of a subscription that names none
   * @param publicUrl of the gateway itself
   * @param outcomes receives the outcomes of requests from the verifier
   */
  public HubRequests(
      Subscriptions subscriptions,
      LeasePolicy leases,
      Format defaultFormat,
      BridgedUrls bridges,
      URI publicUrl,
      Timer timer,
      Outcomes outcomes) {
    this.subscriptions = subscriptions;
    this.leases = leases;
    this.defaultFormat = defaultFormat;
    this.bridges = bridges;
    this.publicUrl = publicUrl.toString();
    this.timer = timer;
    clock = timer.clock();
    this.outcomes = outcomes;
  }

  /**
   * Requests a subscription, or its renewal.
   *
   * @throws BadBridgeException if the topic is a bridged feed's URL that stands for no feed; so do
   *     the other methods
   */
  public CompletableFuture<Verification> subscribe(HubRequest.Subscribe request) {
    return subscribe(request, Sponsor.NOBODY);
  }

  /**
   * The same with credentials.
   *
   * @param sponsor the account of the credentials. A subscription for which it requests no lease is
   *     renewed by the hub itself, since clients of Superfeedr's API never do that
   */
  public CompletableFuture<Verification> subscribe(HubRequest.Subscribe request, Sponsor sponsor) {
    return subscribe(request, sponsor, GatewayPath.NONE);
  }

  /** The same of a gateway that names the gateways behind it. */
  public CompletableFuture<Verification> subscribe(
      HubRequest.Subscribe request, Sponsor sponsor, GatewayPath path) {
    boolean withCredentials = sponsor.login() != null;
    Optional<BridgedUrl> bridged = bridges.find(request.topic());
    Terms terms =
        new Terms(
                request.requestedTopic(),
                request
                    .format()
                    .map(HubRequests::format)
                    .or(() -> bridged.map(HubRequests::format))
                    .orElse(withCredentials ? ofCredentials() : defaultFormat),
                request.secret().orElse(null),
                request.signatureMethod(withCredentials).value(),
                request.updates(),
                request.legacy() || (withCredentials && request.lease().isEmpty()),
                leases.grant(request.lease()))
            .wishing(request.wishes())
            .on(path.ids().isEmpty() ? null : path);
    return subscriptions.request(
        Verification.Mode.SUBSCRIBE,
        bridged.map(BridgedUrl::topic).orElse(request.topic()),
        callback(request.callback(), sponsor),
        terms,
        request.verifyToken().orElse(null),
        sponsor,
        clock.instant());
  }

  /** Requests the end of a subscription; verified even if there is none (rule H9). */
  public CompletableFuture<Verification> unsubscribe(HubRequest.Unsubscribe request) {
    return unsubscribe(request, Sponsor.NOBODY);
  }

  /** The same with credentials. */
  public CompletableFuture<Verification> unsubscribe(
      HubRequest.Unsubscribe request, Sponsor sponsor) {
    Terms none =
        new Terms(
            request.requestedTopic(), defaultFormat, null, "", false, false, leases.standard());
    return subscriptions.request(
        Verification.Mode.UNSUBSCRIBE,
        feed(request.topic()),
        callback(request.callback(), sponsor),
        none,
        request.verifyToken().orElse(null),
        sponsor,
        clock.instant());
  }

  /**
   * The same, verified before the caller is answered (PuSH 0.3, {@code hub.verify=sync}), or
   * confirmed by its credentials.
   *
   * @param path of the gateways behind the subscriber, if it is a gateway itself
   * @return why the request failed, empty if it was confirmed; at the latest after {@link
   *     #SYNC_WAIT}, and then nothing is left of the request
   * @throws RejectedExecutionException if too many requests wait already
   */
  public CompletableFuture<Optional<String>> subscribeNow(
      HubRequest.Subscribe request, Sponsor sponsor, GatewayPath path) {
    return now(
        feed(request.topic()),
        callback(request.callback(), sponsor),
        () -> subscribe(request, sponsor, path));
  }

  /** The same for an unsubscription. */
  public CompletableFuture<Optional<String>> unsubscribeNow(
      HubRequest.Unsubscribe request, Sponsor sponsor) {
    return now(
        feed(request.topic()),
        callback(request.callback(), sponsor),
        () -> unsubscribe(request, sponsor));
  }

  private CompletableFuture<Optional<String>> now(
      String topic, String callback, Supplier<CompletableFuture<Verification>> request) {
    Outcomes.Waiter waiter = outcomes.expect(topic, callback);
    return request
        .get()
        .thenCompose(verification -> outcome(waiter.of(verification.id()), verification))
        .whenComplete((outcome, failure) -> waiter.close());
  }

  private CompletableFuture<Optional<String>> outcome(
      CompletableFuture<Optional<String>> outcome, Verification verification) {
    Timer.Scheduled end =
        timer.at(clock.instant().plus(SYNC_WAIT), () -> giveUp(outcome, verification));
    return outcome.whenComplete((done, failure) -> end.cancel());
  }

  private void giveUp(CompletableFuture<Optional<String>> outcome, Verification verification) {
    var unused =
        subscriptions
            .drop(verification, SubscriptionState.UNCONFIRMED, TOO_LONG, clock.instant())
            .whenComplete((dropped, failure) -> outcome.complete(Optional.of(TOO_LONG)));
  }

  /** A callback as it is stored: each login has a null device of its own. */
  public String callback(String named, Sponsor sponsor) {
    return sponsor.login() != null && named.equals(NullDevice.at(publicUrl))
        ? NullDevice.of(publicUrl, sponsor.login())
        : named;
  }

  /**
   * The topic of the feed: a bridged feed stands for the feed itself (rule L17).
   *
   * @throws BadBridgeException if the topic is a bridged feed's URL that stands for no feed
   */
  public String feed(String topic) {
    return bridges.find(topic).map(BridgedUrl::topic).orElse(topic);
  }

  /** Clients that send credentials read Superfeedr's schema. */
  private Format ofCredentials() {
    return defaultFormat == Format.AUTO ? Format.ATOM : defaultFormat;
  }

  /** The format that has the bridged topic's own type (WebSub §7). */
  private static Format format(BridgedUrl bridged) {
    return switch (bridged.kind()) {
      case ATOM -> Format.ATOM;
      case RSS -> Format.RSS;
      case JSON -> Format.JSONFEED;
    };
  }

  private static Format format(ContentFormat format) {
    return switch (format) {
      case AUTO -> Format.AUTO;
      case ATOM -> Format.ATOM;
      case JSON -> Format.JSON;
      case RAW -> Format.RAW;
    };
  }
}
