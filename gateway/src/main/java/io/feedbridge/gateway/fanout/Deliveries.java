package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.CallException;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Subscription;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends documents and judges the answers; knows neither rounds nor laggards. */
final class Deliveries {

  /** A delivery as a whole, from connecting to the end of the answer. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Bytes of an answer that are read; nobody looks at them. */
  static final int MAX_ANSWER = 64 * 1024;

  /** The same on a retry, so that a receiver can recognise what it has already. */
  static final String EVENT_ID = "Feedbridge-Event";

  private static final Logger log = LoggerFactory.getLogger(Deliveries.class);

  private final OutboundClient client;
  private final Map<Protocol, Courier> couriers;
  private final Meters meters;

  Deliveries(OutboundClient client, WebSubCourier webSub, RssCloudCourier rssCloud, Meters meters) {
    this.client = client;
    couriers = new EnumMap<>(Map.of(Protocol.WEBSUB, webSub, Protocol.RSSCLOUD, rssCloud));
    this.meters = meters;
  }

  /**
   * The request for a subscriber; empty if there is nothing new to it in the bundle.
   *
   * @throws RuntimeException if it cannot be made. That may be this subscriber's own fault, so it
   *     must count against this one alone
   */
  Optional<Call> prepare(Subscription subscription, Bundle bundle, long after, int retries) {
    return courier(subscription).call(subscription, bundle, after, retries);
  }

  /** A request that could not be made, as an outcome. */
  static Verdict.Failed unmakeable(long subscriptionId, RuntimeException why) {
    log.atError()
        .addKeyValue("subscription", subscriptionId)
        .setCause(why)
        .log("A delivery could not be made");
    return new Verdict.Failed("it could not be made: " + why.getMessage(), Optional.empty());
  }

  /** Sends; never completes exceptionally. */
  CompletableFuture<Verdict> send(Subscription subscription, Call call) {
    return client
        .send(call)
        .handle(
            (reply, failure) -> {
              Verdict verdict =
                  failure == null ? courier(subscription).judge(reply) : judge(failure);
              report(subscription, verdict);
              return verdict;
            });
  }

  private void report(Subscription subscription, Verdict verdict) {
    if (verdict instanceof Verdict.Served) {
      meters.delivered(subscription.protocol());
    } else if (verdict instanceof Verdict.Ended) {
      meters.deliveryEnded(subscription.protocol());
    } else if (verdict instanceof Verdict.Failed failed) {
      meters.deliveryFailed(subscription.protocol());
      log.atInfo()
          .addKeyValue("subscription", subscription.id())
          .addKeyValue("protocol", subscription.protocol())
          .addKeyValue("host", host(subscription.callback()))
          .addKeyValue("error", failed.error())
          .log("A delivery failed");
    }
  }

  private Courier courier(Subscription subscription) {
    Courier courier = couriers.get(subscription.protocol());
    if (courier == null) {
      throw new IllegalStateException("no courier for " + subscription.protocol());
    }
    return courier;
  }

  private static Verdict judge(Throwable failure) {
    if (failure instanceof CallException call && call.failure() == CallException.Failure.CLOSED) {
      return Verdict.CUT_OFF;
    }
    String message = failure.getMessage();
    return new Verdict.Failed(
        message == null ? failure.getClass().getSimpleName() : message, Optional.empty());
  }

  /** The host and port that a callback's deliveries are bounded by. */
  static String host(String callback) {
    int scheme = callback.indexOf("://");
    int start = scheme < 0 ? 0 : scheme + "://".length();
    int end = start;
    while (end < callback.length() && "/?#".indexOf(callback.charAt(end)) < 0) {
      end++;
    }
    return callback.substring(start, end).toLowerCase(Locale.ROOT);
  }
}
