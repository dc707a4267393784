package io.feedbridge.websub;

import java.util.Optional;

/** The two modes that ask for a subscription to be changed, and that a hub verifies. */
public enum SubscriptionMode {
  SUBSCRIBE("subscribe"),
  UNSUBSCRIBE("unsubscribe");

  private final String value;

  SubscriptionMode(String value) {
    this.value = value;
  }

  /** The value of {@code hub.mode}. */
  public String value() {
    return value;
  }

  static Optional<SubscriptionMode> of(String value) {
    for (SubscriptionMode mode : values()) {
      if (mode.value.equals(value)) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }
}
