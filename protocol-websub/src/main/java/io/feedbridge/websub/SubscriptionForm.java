package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Optional;

/**
 * A subscriber's request to a hub, written so that hubs of every age accept it: {@code hub.verify}
 * and {@code hub.verify_token} are for hubs of 0.3, which refuse a request without the former.
 *
 * @param callback unguessable, and of this subscription only
 * @param topic the {@code self} link exactly as discovered
 * @param verifyToken the token that the hub has to repeat; {@link VerifyToken} makes one
 * @param lease the requested lease
 * @param secret fresh and random, under 200 bytes; to be sent over https only, as WebSub §5.1 asks
 */
public record SubscriptionForm(
    SubscriptionMode mode,
    String callback,
    String topic,
    Optional<String> verifyToken,
    Optional<Duration> lease,
    Optional<String> secret) {

  /** The content type to send the body with. */
  public static final String CONTENT_TYPE = "application/x-www-form-urlencoded";

  public SubscriptionForm {
    if (secret.isPresent()
        && secret.get().getBytes(UTF_8).length >= HubRequest.SECRET_LENGTH_LIMIT) {
      throw new IllegalArgumentException(
          "A secret must be shorter than " + HubRequest.SECRET_LENGTH_LIMIT + " bytes");
    }
  }

  /** A request to subscribe, or to renew. */
  public static SubscriptionForm subscribe(
      String callback, String topic, String verifyToken, Duration lease, Optional<String> secret) {
    return new SubscriptionForm(
        SubscriptionMode.SUBSCRIBE,
        callback,
        topic,
        Optional.of(verifyToken),
        Optional.of(lease),
        secret);
  }

  /** A request to end a subscription. */
  public static SubscriptionForm unsubscribe(String callback, String topic, String verifyToken) {
    return new SubscriptionForm(
        SubscriptionMode.UNSUBSCRIBE,
        callback,
        topic,
        Optional.of(verifyToken),
        Optional.empty(),
        Optional.empty());
  }

  /** The body to POST, of type {@link #CONTENT_TYPE}. */
  public String body() {
    return new FormWriter()
        .add(HubParameter.CALLBACK, callback)
        .add(HubParameter.MODE, mode.value())
        .add(HubParameter.TOPIC, topic)
        .add(HubParameter.VERIFY, "async")
        .add(HubParameter.VERIFY, "sync")
        .add(HubParameter.VERIFY_TOKEN, verifyToken)
        .add(HubParameter.LEASE_SECONDS, lease.map(LeaseSeconds::format))
        .add(HubParameter.SECRET, secret)
        .body();
  }

  /** Without the secret, the token and the callback, which is a secret too. */
  @Override
  public String toString() {
    return "SubscriptionForm[mode=" + mode + ", topic=" + topic + ", lease=" + lease + ']';
  }
}
