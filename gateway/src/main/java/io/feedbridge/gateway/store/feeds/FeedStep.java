package io.feedbridge.gateway.store.feeds;

import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step in the history of a feed: the outcome of the pings, the push or the poll that were its
 * work.
 *
 * @param id grows with each step of any feed
 * @param via the way by which the work came; a ping counts for more than a poll
 * @param at when the outcome was recorded; of work that was put off, when it arrived
 * @param lastAt the same of the last of several equal steps
 * @param times how many equal steps this one stands for
 * @param code the status of the origin's answer; null if there was none
 * @param message a sentence for operators, cut at {@link FeedHistory#MAX_MESSAGE} characters
 * @param state of the feed since the step
 * @param stateBefore null if the step did not change it
 * @param fresh how many new entries the step brought
 * @param changed how many changed entries it brought
 * @param firstSeq the first event that the step appended; null if it appended none
 * @param lastSeq the last event that the step appended
 * @param reports how many items of work, such as pings, the step did
 * @param arrivals the first of these items, at most {@link FeedHistory#MAX_ARRIVALS}
 */
public record FeedStep(
    long id,
    Kind kind,
    Result outcome,
    Via via,
    Instant at,
    Instant lastAt,
    long times,
    @Nullable Long code,
    @Nullable String message,
    FeedState state,
    @Nullable FeedState stateBefore,
    int fresh,
    int changed,
    @Nullable Long firstSeq,
    @Nullable Long lastSeq,
    long reports,
    List<Arrival> arrivals) {

  public FeedStep {
    arrivals = List.copyOf(arrivals);
  }

  /** How the content came. */
  public enum Kind {
    /** The gateway fetched the feed. */
    FETCH,
    /** A hub or a publisher delivered signed content. */
    PUSH,
    /** No content came: the work was put off, given up, or not needed. */
    NONE
  }

  /** The outcome of the work. */
  public enum Result {
    /** There were new or changed entries, or changed bytes. */
    NEWS,
    /** Nothing was new. */
    UNCHANGED,
    /** The feed could not be fetched or read. */
    FAILED,
    /** The origin says that the feed is gone. */
    GONE,
    /** A budget is spent, or the host asked for a pause: the feed is fetched later. */
    PUT_OFF,
    /** The work could not be done at all. */
    GIVEN_UP,
    /** The feed is not followed any more. */
    NOT_FOLLOWED
  }

  /**
   * The arrival of an item of work.
   *
   * @param sender the caller's IP address, or the URL of the hub or cloud, cut at {@link
   *     FeedHistory#MAX_SENDER} characters; null if the gateway itself made the item
   */
  public record Arrival(Via via, Instant at, @Nullable String sender) {}
}
