package io.feedbridge.gateway.activity;

import java.time.Instant;

/**
 * One thing that happened. Nothing in it is secret: of callbacks there is the host alone.
 *
 * @param id grows with each one
 * @param feed the topic that it is about; empty where it is about none, or none that is known here
 * @param peer the host of the other side; empty where there is none
 * @param success whether it went well
 * @param outcome in a few words; may quote what the other side said
 */
public record Activity(
    long id, Instant at, Kind kind, String feed, String peer, boolean success, String outcome) {

  /** The same without the query of the feed's URL. */
  public Activity withoutQuery() {
    int query = feed.indexOf('?');
    return query < 0
        ? this
        : new Activity(id, at, kind, feed.substring(0, query) + "?…", peer, success, outcome);
  }

  /** What kinds of things there are. */
  public enum Kind {
    /** An aggregator asked to be notified. */
    REGISTRATION,
    /** The handler of an aggregator was tried out. */
    TEST,
    /** A publisher, or an upstream cloud, said that a feed has changed. */
    PING,
    /** A feed was read. */
    FETCH,
    /** A subscriber was told, in whichever protocol. */
    NOTIFICATION,
    /** A subscription was asked for, began, was renewed, fell behind, or has caught up. */
    SUBSCRIPTION,
    /** A subscription is over. */
    DROP
  }
}
