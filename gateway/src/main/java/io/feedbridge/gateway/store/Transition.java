package io.feedbridge.gateway.store;

/**
 * A step of a subscription from one state to the next, or its renewal in the same.
 *
 * @param state the new one
 * @param callback or its host alone; empty where it is about several
 * @param why in a few words, for people
 */
public record Transition(SubscriptionState state, String topic, String callback, String why) {

  /** The callback may hold secrets. */
  @Override
  public String toString() {
    return "Transition[%s, %s, %s]".formatted(state, topic, why);
  }
}
