package io.feedbridge.gateway.store;

/**
 * A step of a subscription from one state to the next, its renewal in the same, or a request to
 * renew or end it that came to nothing.
 *
 * @param state the new one, or the one in which it stays
 * @param callback or its host alone; empty where it is about several
 * @param refused whether it is a request about a subscription that stays as it was (rule H5)
 * @param why in a few words, for people
 */
public record Transition(
    SubscriptionState state, String topic, String callback, boolean refused, String why) {

  /** The callback may hold secrets. */
  @Override
  public String toString() {
    return "Transition[%s, %s, %s]".formatted(state, topic, why);
  }
}
