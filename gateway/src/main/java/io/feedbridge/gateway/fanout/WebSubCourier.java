package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
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
import org.jspecify.annotations.Nullable;

/** Content distribution as a WebSub hub (rules H11 to H13). */
final class WebSubCourier implements Courier {

  /** The field that names the callback; receivers with several tell them apart by it. */
  static final String CALLBACK = "X-PubSubHubbub-Callback";

  private static final Header.Name SIGNATURE = new Header.Name(Delivery.SIGNATURE);

  private static final int GONE = 410;

  private final String hubUrl;
  private final Header userAgent;
  private final RetryPolicy retries;
  private volatile @Nullable TopicHeaders lastTopic;

  /** The fields that tell of a topic. */
  private record TopicHeaders(String topic, Header link, Header name) {}

  /**
   * A courier for a hub.
   *
   * @param hubUrl this hub's own URL, for the Link header
   */
  WebSubCourier(String hubUrl, String userAgent, RandomGenerator random) {
    this.hubUrl = hubUrl;
    this.userAgent = new Header("User-Agent", userAgent);
    retries = new RetryPolicy.Lasting(new BackOff(random));
  }

  @Override
  public Optional<Call> call(Recipient recipient, Bundle bundle, long after, int retries) {
    Subscription subscription = recipient.subscription;
    if (NullDevice.is(subscription.callback())) {
      return Optional.empty();
    }
    Terms terms = subscription.terms();
    return bundle
        .render(after, terms)
        .map(
            document -> {
              TopicHeaders topic = topicHeaders(terms.namedTopic());
              Call.Builder call =
                  Call.post(recipient.destination, Purpose.CALLBACK, document.body())
                      .header(document.contentType())
                      .header(userAgent)
                      .header(topic.link)
                      .header(topic.name)
                      .header(recipient.callbackHeader())
                      .header(bundle.idHeader())
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
                    SIGNATURE.with(Signature.sign(method, terms.secret(), document.body())));
              }
              return call.build();
            });
  }

  /** Nearly all subscribers of a feed name it alike. */
  private TopicHeaders topicHeaders(String topic) {
    TopicHeaders known = lastTopic;
    if (known == null || !known.topic.equals(topic)) {
      known =
          new TopicHeaders(
              topic,
              new Header(Delivery.LINK, Delivery.link(hubUrl, topic)),
              new Header("X-PubSubHubbub-Topic", topic));
      lastTopic = known;
    }
    return known;
  }

  @Override
  public DeliveryOutcome judge(Recipient recipient, Reply reply) {
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
