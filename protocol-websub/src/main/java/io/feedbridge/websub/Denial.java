package io.feedbridge.websub;

/**
 * The hub's word to a subscriber that it gets no subscription, or no longer has one (WebSub §5.2).
 *
 * @param callback exactly as the subscriber gave it
 * @param topic exactly as the subscriber gave it
 * @param reason a human-readable sentence, cut after {@value #MAX_REASON_LENGTH} characters
 */
public record Denial(String callback, String topic, String reason) {
  static final int MAX_REASON_LENGTH = 500;

  public Denial {
    reason = Parameters.cut(reason, MAX_REASON_LENGTH);
  }

  /** The URL to GET. The answer does not matter. */
  public String url() {
    return new FormWriter()
        .add(HubParameter.MODE, IntentRequest.DENIED)
        .add(HubParameter.TOPIC, topic)
        .add(HubParameter.REASON, reason)
        .appendedTo(callback);
  }
}
