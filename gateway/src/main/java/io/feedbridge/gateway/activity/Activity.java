package io.feedbridge.gateway.activity;

import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened. The address of a caller, the query of a feed's URL and the path of a
 * callback are for operators; others see the host of a callback alone.
 *
 * @param id grows with each one
 * @param feed the topic that it is about; empty where it is about none, or none that is known here
 * @param peer the other side: the host of a callback, hub or cloud; the caller's IP address where
 *     the caller pinged, or sent a request that could not be understood; empty where there is none
 * @param success whether it went well
 * @param outcome in a few words; may quote the other side's answer
 * @param delivery the delivery that it was; null for anything else
 */
public record Activity(
    long id,
    Instant at,
    Kind kind,
    String feed,
    String peer,
    boolean success,
    String outcome,
    @Nullable Delivery delivery) {

  /**
   * A delivery.
   *
   * @param subscriber the id of the subscription; negative for a webhook
   * @param event the newest event in it; 0 for none
   * @param callback its whole URL, in which there may be a secret
   */
  public record Delivery(long subscriber, long event, String callback) {

    private static final Pattern PATH =
        Pattern.compile("[a-z]+://[^/?#]*([^?#]*).*", Pattern.DOTALL);

    /** The path of the callback, for operators; its query is for none. */
    public String path() {
      Matcher matcher = PATH.matcher(callback);
      return matcher.matches() ? matcher.group(1) : "";
    }
  }

  /**
   * Without the query of the feed's URL, the address of a caller, and the ids and the callback of a
   * delivery, which only operators may see.
   */
  public Activity forEveryone() {
    return new Activity(
        id, at, kind, withoutQuery(feed), isByCaller() ? "" : peer, success, outcome, null);
  }

  /** A URL without its query, in which there may be a secret: for texts that everyone may read. */
  public static String withoutQuery(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query) + "?…";
  }

  /** A registration that could not be understood has neither a feed nor a callback. */
  private boolean isByCaller() {
    return kind == Kind.PING || kind == Kind.CALL || (kind == Kind.REGISTRATION && feed.isEmpty());
  }

  /** The kinds of activity. */
  public enum Kind {
    /** An aggregator asked to be notified. */
    REGISTRATION,
    /** The handler of an aggregator was tried out. */
    TEST,
    /** A publisher said that a feed has changed. */
    PING,
    /** A client sent a procedure call that could not be understood. */
    CALL,
    /** An upstream hub delivered content, or an upstream cloud notified of a change. */
    PUSH,
    /** The gateway's own subscription at an upstream hub or cloud took a step. */
    UPSTREAM,
    /** A server was told of a change, which the gateway passes on. */
    RELAY,
    /** A feed was read. */
    FETCH,
    /** A subscriber was notified, in any protocol. */
    NOTIFICATION,
    /** A subscription was asked for, began, was renewed, fell behind, or has caught up. */
    SUBSCRIPTION,
    /** A subscription is over. */
    DROP
  }
}
