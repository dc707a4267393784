package io.feedbridge.gateway.store.subscriptions;

import io.feedbridge.gateway.store.CallbackHost;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A WebSub request that waits for its callback to confirm it, or a denial that is to be sent. A
 * newer request replaces an older one for the same topic and callback (rule L7).
 *
 * @param id never used twice
 * @param feedId absent for an unsubscription from a topic that is not followed
 * @param mode the kind of the request
 * @param verifyToken the token that a verification repeats, for subscribers of PuSH 0.3
 * @param attempts verifications that did not reach the callback
 * @param reason the reason that a denial states; absent for other modes
 * @param vouched whether the credentials of the request replace the verification at the callback
 */
public record Verification(
    long id,
    @Nullable Long feedId,
    String topic,
    String callback,
    Mode mode,
    Terms terms,
    @Nullable String verifyToken,
    Instant requestedAt,
    int attempts,
    Instant nextAttemptAt,
    @Nullable String reason,
    boolean vouched) {

  /** A request that is not stored yet, to be verified at once. */
  public static Verification asked(
      @Nullable Long feedId,
      String topic,
      String callback,
      Mode mode,
      Terms terms,
      @Nullable String verifyToken,
      boolean vouched,
      Instant now) {
    return new Verification(
        0, feedId, topic, callback, mode, terms, verifyToken, now, 0, now, null, vouched);
  }

  /** The host of the callback, see {@link CallbackHost}. */
  public String host() {
    return CallbackHost.of(callback);
  }

  /** The kind of a request. */
  public enum Mode {
    SUBSCRIBE,
    UNSUBSCRIBE,
    /** A denial: the callback is told that its subscription has ended (rule H10). */
    DENIED
  }
}
