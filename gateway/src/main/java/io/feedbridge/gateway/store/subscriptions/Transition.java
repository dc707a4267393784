package io.feedbridge.gateway.store.subscriptions;

/**
 * A step of a subscription from one state to the next, its renewal in the same state, or a failed
 * request to renew or end it.
 *
 * @param state the new state, or the state in which it stays
 * @param callback or its host alone; empty where it is about several
 * @param refused whether it is a request about a subscription that stays as it was (rule H5)
 * @param why the reason in a few words, for operators
 */
public record Transition(
    SubscriptionState state, String topic, String callback, boolean refused, String why) {

  /** The callback may hold secrets. */
  @Override
  public String toString() {
    return "Transition[%s, %s, %s]".formatted(state, topic, why);
  }
}
