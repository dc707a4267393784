package io.feedbridge.gateway.check;

import io.feedbridge.websub.IntentRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The requests that hubs and clouds make for the test subscriptions of checks. Each callback has an
 * unguessable token. Safe for use by several threads, event loops included.
 */
public interface CheckCallbacks {

  /** Of a gateway that makes no checks. */
  CheckCallbacks NONE =
      new CheckCallbacks() {
        @Override
        public boolean knows(String token) {
          return false;
        }

        @Override
        public Optional<String> verify(String token, IntentRequest.Verify question) {
          return Optional.empty();
        }

        @Override
        public void denied(String token, String reason) {
          // There is no such subscription.
        }

        @Override
        public boolean isTested(String token) {
          return false;
        }

        @Override
        public boolean delivered(String token, @Nullable String signature, byte[] body) {
          return false;
        }
      };

  /** Whether a callback is that of a test subscription. */
  boolean knows(String token);

  /**
   * A hub asks about a test subscription.
   *
   * @return the challenge to give back; empty if the check did not request this
   */
  Optional<String> verify(String token, IntentRequest.Verify question);

  /** A hub denies a test subscription, for a reason of its own. */
  void denied(String token, String reason);

  /** Whether a cloud may test the handler of a test subscription. */
  boolean isTested(String token);

  /**
   * Something was delivered to a test subscription.
   *
   * @param signature the value of the header, if there is one
   * @return whether the subscription has not ended
   */
  boolean delivered(String token, @Nullable String signature, byte[] body);
}
