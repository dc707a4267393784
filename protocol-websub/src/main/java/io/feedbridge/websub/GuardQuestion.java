package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;

/**
 * The hub's question to the guard of a topic, which the publisher names by {@code rel="validate"}:
 * may this callback subscribe? It is Superfeedr's addition to the protocol. The subscriber's secret
 * is no part of it.
 *
 * @param topic exactly as the subscriber gave it
 * @param callback exactly as the subscriber gave it
 * @param lease the lease that the subscription will get, in whole seconds
 */
public record GuardQuestion(String topic, String callback, Duration lease) {

  private static final int NO_CONTENT = 204;
  private static final int UNAUTHORIZED = 401;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  /** The guard's answer. */
  public sealed interface Verdict permits Allowed, Denied, Unanswered {}

  /** The callback may subscribe. */
  public record Allowed() implements Verdict {}

  /**
   * The callback may not subscribe.
   *
   * @param reason for the subscriber: the guard's own text where it has one
   */
  public record Denied(String reason) implements Verdict {}

  /** The guard has trouble of its own, and can be asked again. */
  public record Unanswered(String reason) implements Verdict {}

  /** The body to POST, application/x-www-form-urlencoded. */
  public String body() {
    return new FormWriter()
        .add(HubParameter.MODE, SubscriptionMode.SUBSCRIBE.value())
        .add(HubParameter.TOPIC, topic)
        .add(HubParameter.CALLBACK, callback)
        .add(HubParameter.LEASE_SECONDS, LeaseSeconds.format(lease))
        .body();
  }

  /** Whether an answer says yes or no, which an outage does not. */
  public static boolean isAnswer(int status) {
    return status < SERVER_ERROR && status != TOO_MANY_REQUESTS;
  }

  /** The verdict that an answer is: 204 allows, 401 denies with its text, and anything else too. */
  public static Verdict verdict(int status, byte[] body) {
    if (status == NO_CONTENT) {
      return new Allowed();
    }
    String other = "the guard of the topic answered with status " + status;
    if (!isAnswer(status)) {
      return new Unanswered(other);
    }
    String text = new String(body, UTF_8).replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return new Denied(
        status == UNAUTHORIZED && !text.isEmpty()
            ? Parameters.cut(text, Denial.MAX_REASON_LENGTH)
            : other);
  }
}
