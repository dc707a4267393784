package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/** Content distribution as a WebSub hub (rules H11 to H13). */
final class WebSubCourier implements Courier {

  private static final int GONE = 410;

  private final String hubUrl;
  private final String userAgent;
  private final RetryPolicy retries;
  private volatile Link lastLink = new Link("", "");

  /** The header for a topic. */
  private record Link(String topic, String value) {}

  /**
   * A courier for a hub.
   *
   * @param hubUrl this hub's own URL, for the Link header
   */
  WebSubCourier(String hubUrl, String userAgent, RandomGenerator random) {
    this.hubUrl = hubUrl;
    this.userAgent = userAgent;
    retries = new RetryPolicy.Lasting(new BackOff(random));
  }

  @Override
  public Optional<Call> call(Subscription subscription, Bundle bundle, long after, int retries) {
    if (NullDevice.is(subscription.callback())) {
      return Optional.empty();
    }
    Terms terms = subscription.terms();
    return bundle
        .render(after, terms)
        .map(
            document -> {
              Call.Builder call =
                  Call.post(subscription.callback(), Purpose.CALLBACK, document.body())
                      .header("Content-Type", document.contentType())
                      .header("User-Agent", userAgent)
                      .header(Delivery.LINK, link(terms.namedTopic()))
                      .header("X-PubSubHubbub-Topic", terms.namedTopic())
                      .header("X-PubSubHubbub-Callback", subscription.callback())
                      .header(Deliveries.EVENT_ID, Long.toString(bundle.id()))
                      .timeout(Deliveries.TIMEOUT)
                      .connectTimeout(Deliveries.CONNECT_TIMEOUT)
                      .truncateBodyAt(Deliveries.MAX_ANSWER);
              if (retries > 0) {
                call.header("X-Superfeedr-Retried", Integer.toString(retries));
              }
              if (terms.secret() != null) {
                SignatureMethod method =
                    SignatureMethod.of(terms.signatureMethod()).orElse(SignatureMethod.SHA256);
                call.header(
                    Delivery.SIGNATURE, Signature.sign(method, terms.secret(), document.body()));
              }
              return call.build();
            });
  }

  /** Nearly all subscribers of a feed name it alike. */
  private String link(String topic) {
    Link known = lastLink;
    if (!known.topic.equals(topic)) {
      known = new Link(topic, Delivery.link(hubUrl, topic));
      lastLink = known;
    }
    return known.value;
  }

  @Override
  public DeliveryOutcome judge(Subscription subscription, Reply reply) {
    if (reply.successful()) {
      return DeliveryOutcome.DELIVERED;
    }
    return reply.status() == GONE ? DeliveryOutcome.GONE : DeliveryOutcome.REFUSED;
  }

  @Override
  public OptionalInt readers(Reply reply) {
    return Delivery.onBehalfOf(reply.headers().first(Delivery.ON_BEHALF_OF).orElse(null));
  }

  @Override
  public RetryPolicy retries() {
    return retries;
  }
}
