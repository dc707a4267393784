package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.schedule.BackOff;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Content distribution as a WebSub hub (rules H11 to H13). */
public final class WebSubAdapter implements ProtocolAdapter {

  private static final Header.Name SIGNATURE = new Header.Name(Delivery.SIGNATURE);

  private static final int GONE = 410;

  private final BridgedUrls urls;
  private final RetryPolicy retries;
  private volatile @Nullable TopicHeaders lastTopic;

  /** The fields that tell of a topic. */
  private record TopicHeaders(
      String topic, Header link, Header name, BridgedUrl.@Nullable Kind bridge) {}

  /**
   * The adapter of a hub.
   *
   * @param urls this hub's own URL, for the Link header, and the URLs of bridged feeds
   */
  public WebSubAdapter(BridgedUrls urls, RandomGenerator random) {
    this.urls = urls;
    retries = new RetryPolicy.Lasting(new BackOff(random));
  }

  @Override
  public Optional<Call> call(Recipient recipient, Bundle bundle, long after, int retries) {
    Subscription subscription = recipient.subscription;
    if (NullDevice.is(subscription.callback())) {
      return Optional.empty();
    }
    Terms terms = subscription.terms();
    TopicHeaders topic = topicHeaders(terms.namedTopic());
    return bundle
        .render(after, terms, topic.bridge)
        .map(
            document -> {
              Call.Builder call =
                  Call.post(recipient.destination, Purpose.CALLBACK, document.body())
                      .header(document.contentType())
                      .header(topic.link)
                      .header(topic.name)
                      .header(recipient.callbackHeader())
                      .header(bundle.idHeader())
                      .timeout(TIMEOUT)
                      .connectTimeout(CONNECT_TIMEOUT)
                      .truncateBodyAt(MAX_ANSWER);
              if (bundle.isDigest()) {
                call.header("Feedbridge-Digest", "true");
              }
              if (retries > 0) {
                call.header("X-Superfeedr-Retried", Integer.toString(retries));
              }
              if (terms.secret() != null) {
                Fault.SIGN.in(subscription.topic());
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
              new Header(Delivery.LINK, Delivery.link(urls.hub(), topic)),
              new Header("X-PubSubHubbub-Topic", topic),
              bridge(topic));
      lastTopic = known;
    }
    return known;
  }

  private BridgedUrl.@Nullable Kind bridge(String topic) {
    try {
      return urls.find(topic).map(BridgedUrl::kind).orElse(null);
    } catch (BadBridgeException refusedWhenAsked) {
      return null;
    }
  }

  @Override
  public CallResult judge(Recipient recipient, Reply reply, Instant now) {
    if (reply.successful()) {
      return CallResult.delivered(
          Delivery.onBehalfOf(reply.headers().first(Delivery.ON_BEHALF_OF).orElse(null)));
    }
    return reply.status() == GONE
        ? CallResult.failed(DeliveryOutcome.GONE, "it wants no more")
        : CallResult.refused(reply, now);
  }

  @Override
  public RetryPolicy retries() {
    return retries;
  }
}
