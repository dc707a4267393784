package io.feedbridge.gateway.store.log;

import io.feedbridge.gateway.work.Via;
import java.time.Instant;

/**
 * One entry of the event log; never changed after its append.
 *
 * @param seq its place in the log; grows, with gaps
 * @param via how the gateway came to know
 */
public record Event(long seq, long feedId, Instant at, Via via, Update update) {

  /** The feed that it is of. */
  public String topic() {
    return update.status().feed();
  }

  /**
   * Whether the gateway made it: a tracker, which repeats entries of other feeds, or one of the
   * gateway's own topics. Only a reader that names its feed wants it.
   */
  public boolean isOwn() {
    return via == Via.TRACK || GatewayTopic.is(topic());
  }

  /**
   * Whether the topic's document has changed: not if the feed fails or is gone, and not if a feed
   * of a list has news.
   */
  public boolean isChange() {
    boolean isOfMember = via == Via.TRACK && update.format() != null && update.format().ofList();
    return !isOfMember && !update.isStatusAlone();
  }
}
