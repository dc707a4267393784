package io.feedbridge.websub;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request that a hub may GET from a subscriber's callback (WebSub §5.2 and §5.3). */
public sealed interface IntentRequest {
  /** The longest challenge that is accepted, in characters. */
  int MAX_CHALLENGE_LENGTH = 2048;

  /** The value of {@code hub.mode} in a {@link Denied}. */
  String DENIED = "denied";

  /** Reads the query of a GET to the callback. Never throws. */
  static IntentRequest parse(Map<String, List<String>> query) {
    Parameters parameters = new Parameters(query);
    try {
      String mode = parameters.required(HubParameter.MODE);
      String topic = parameters.required(HubParameter.TOPIC);
      if (mode.equals(DENIED)) {
        String reason = parameters.all(HubParameter.REASON).stream().findFirst().orElse("");
        return new Denied(topic, reason);
      }
      Optional<SubscriptionMode> known = SubscriptionMode.of(mode);
      if (known.isEmpty()) {
        return new NotAnIntent("hub.mode " + Parameters.quoted(mode) + " is not known");
      }
      String challenge = parameters.required(HubParameter.CHALLENGE);
      if (challenge.length() > MAX_CHALLENGE_LENGTH) {
        return new NotAnIntent("hub.challenge is longer than " + MAX_CHALLENGE_LENGTH);
      }
      return new Verify(
          known.get(),
          topic,
          challenge,
          lease(parameters),
          parameters.single(HubParameter.VERIFY_TOKEN));
    } catch (BadHubRequestException e) {
      return new NotAnIntent(e.reason());
    }
  }

  /** Hubs of 0.3 send none, or nonsense, and mean it all the same. */
  private static Optional<Duration> lease(Parameters parameters) {
    try {
      Optional<String> seconds = parameters.single(HubParameter.LEASE_SECONDS);
      return seconds.isEmpty() ? Optional.empty() : LeaseSeconds.parse(seconds.get());
    } catch (BadHubRequestException e) {
      return Optional.empty();
    }
  }

  /**
   * The question whether this subscription is wanted. Yes is a 200 with the challenge as text/plain
   * and nothing else; no is a 404.
   *
   * @param lease the lease that the hub grants, if it names one
   * @param verifyToken the token of the request, which a hub of 0.3 repeats
   */
  record Verify(
      SubscriptionMode mode,
      String topic,
      String challenge,
      Optional<Duration> lease,
      Optional<String> verifyToken)
      implements IntentRequest {

    /**
     * Whether this asks for just that. The topic may come back in another spelling of the same URL,
     * because hubs normalize; a token that comes back must be the right one.
     */
    public boolean matches(ExpectedIntent expected) {
      return mode == expected.mode()
          && sameTopic(topic, expected.topic())
          && verifyToken.map(t -> Signature.equal(expected.verifyToken(), t)).orElse(true);
    }

    /** Whether this asks for one of the requests under way and active subscriptions. */
    public boolean matchesAny(Collection<ExpectedIntent> expected) {
      return expected.stream().anyMatch(this::matches);
    }

    private static boolean sameTopic(String given, String expected) {
      if (given.equals(expected)) {
        return true;
      }
      try {
        return TopicUrl.normalize(given).equals(TopicUrl.normalize(expected));
      } catch (BadHubRequestException e) {
        return false;
      }
    }
  }

  /**
   * The word that there is no subscription, or no longer one.
   *
   * @param reason in one line of bounded length; empty if the hub gave none
   */
  record Denied(String topic, String reason) implements IntentRequest {
    public Denied {
      reason = Parameters.singleLine(Parameters.cut(reason, Denial.MAX_REASON_LENGTH));
    }
  }

  /**
   * Anything else.
   *
   * @param reason why it is neither, in one line
   */
  record NotAnIntent(String reason) implements IntentRequest {}
}
