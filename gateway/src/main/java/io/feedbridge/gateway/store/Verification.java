package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A WebSub request that waits for its callback to confirm it, or a denial to be told. Of two for
 * the same topic and callback only the newer exists (rule L7).
 *
 * @param id never used twice
 * @param feedId absent for an unsubscription from a topic that is not followed
 * @param mode what is to be confirmed
 * @param verifyToken to be echoed, for subscribers of PuSH 0.3
 * @param attempts verifications that did not reach the callback
 * @param reason what is told; of a denial only
 * @param vouched whether the credentials that it came with stand in for asking the callback
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

  /** The host of the callback, see {@link CallbackHost}. */
  public String host() {
    return CallbackHost.of(callback);
  }

  /** What the subscriber asked for. */
  public enum Mode {
    SUBSCRIBE,
    UNSUBSCRIBE,
    /** Nothing is asked: the callback is told that its subscription has ended (rule H10). */
    DENIED
  }
}
