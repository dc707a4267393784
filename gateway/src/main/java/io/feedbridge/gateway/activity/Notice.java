package io.feedbridge.gateway.activity;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * An event of the gateway itself, for its operators.
 *
 * @param about the URL that it is about, in full; empty for none
 * @param text one sentence
 */
public record Notice(Instant at, Type type, String about, String text) {

  /** The types. */
  public enum Type {
    FEED_ERROR,
    FEED_GONE,
    FEED_BACK,
    UPSTREAM_DEMOTED,
    WEBHOOK_FAILING,
    WEBHOOK_DISABLED,
    SUBSCRIPTION_GAP,
    STORE_TROUBLE;

    /** The beginning of the names of all types. */
    public static final String PREFIX = "gateway.";

    /** As users write it. */
    public String label() {
      return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** The type that a user wrote; empty if there is none. */
    public static Optional<Type> of(String label) {
      return Arrays.stream(values()).filter(type -> type.label().equals(label)).findFirst();
    }
  }
}
