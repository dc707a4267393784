package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * The hub's question to a callback whether a request was really the subscriber's (WebSub §5.3).
 *
 * @param callback exactly as the subscriber gave it
 * @param topic exactly as the subscriber gave it
 * @param challenge used once; {@link RandomToken} makes one
 * @param lease the granted lease, in whole seconds; present just for {@code SUBSCRIBE}
 * @param verifyToken the token of the request (0.3)
 */
public record SubscriberVerification(
    SubscriptionMode mode,
    String callback,
    String topic,
    String challenge,
    Optional<Duration> lease,
    Optional<String> verifyToken) {

  public SubscriberVerification {
    if (challenge.isEmpty()) {
      throw new IllegalArgumentException("An empty challenge would be met by any empty answer");
    }
    if (lease.isPresent() != (mode == SubscriptionMode.SUBSCRIBE)) {
      throw new IllegalArgumentException("A lease belongs to subscribe, and to nothing else");
    }
  }

  /** The question after a request to subscribe, naming the lease that is granted. */
  public static SubscriberVerification of(
      HubRequest.Subscribe request, Duration granted, String challenge) {
    return new SubscriberVerification(
        SubscriptionMode.SUBSCRIBE,
        request.callback(),
        request.requestedTopic(),
        challenge,
        Optional.of(granted),
        request.verifyToken());
  }

  /** The question after a request to unsubscribe. */
  public static SubscriberVerification of(HubRequest.Unsubscribe request, String challenge) {
    return new SubscriberVerification(
        SubscriptionMode.UNSUBSCRIBE,
        request.callback(),
        request.requestedTopic(),
        challenge,
        Optional.empty(),
        request.verifyToken());
  }

  /** The URL to GET: the callback with the parameters appended to its query. */
  public String url() {
    return new FormWriter()
        .add(HubParameter.MODE, mode.value())
        .add(HubParameter.TOPIC, topic)
        .add(HubParameter.CHALLENGE, challenge)
        .add(HubParameter.LEASE_SECONDS, lease.map(LeaseSeconds::format))
        .add(HubParameter.VERIFY_TOKEN, verifyToken)
        .appendedTo(callback);
  }

  /** Whether the answer confirms: a 2xx whose body is the challenge and nothing more. */
  public boolean confirmedBy(int status, byte[] body) {
    return status >= 200 && status <= 299 && Arrays.equals(body, challenge.getBytes(UTF_8));
  }
}
