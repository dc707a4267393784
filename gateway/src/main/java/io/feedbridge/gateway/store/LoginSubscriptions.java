package io.feedbridge.gateway.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The active WebSub subscriptions, by the login that made them. */
public interface LoginSubscriptions {

  /**
   * The subscriptions that match, the oldest first.
   *
   * @param offset how many matching subscriptions to skip
   */
  List<Holding> list(Filter filter, int limit, long offset);

  /** The feeds of the subscriptions that match, without repetition, in the order of their ids. */
  List<FollowedFeed> feeds(Filter filter, int limit);

  /** A subscription with its feed. */
  record Holding(Subscription subscription, FollowedFeed feed) {}

  /**
   * The conditions that a subscription must meet; an absent part matches all subscriptions. The
   * case of letters makes no difference in parts of a URL.
   *
   * @param owner the login
   * @param topic the feed's topic
   * @param topicPart a part of the topic
   * @param topicHost the host name of the topic
   * @param velocity of the feed
   * @param bozo rank of the feed
   * @param callback the stored callback
   * @param callbackPart a part of the callback
   * @param callbackHost the host name of the callback
   */
  record Filter(
      @Nullable String owner,
      @Nullable Format format,
      @Nullable String topic,
      @Nullable String topicPart,
      @Nullable String topicHost,
      @Nullable Bound velocity,
      @Nullable Bound bozo,
      @Nullable String callback,
      @Nullable String callbackPart,
      @Nullable String callbackHost) {

    /** Matches the subscriptions of a login, or of all logins. */
    public static Filter of(@Nullable String owner) {
      return new Filter(owner, null, null, null, null, null, null, null, null, null);
    }

    /** The same filter, for one topic. */
    public Filter to(String wanted) {
      return new Filter(
          owner,
          format,
          wanted,
          topicPart,
          topicHost,
          velocity,
          bozo,
          callback,
          callbackPart,
          callbackHost);
    }

    /** The same filter, for one callback. */
    public Filter at(String wanted) {
      return new Filter(
          owner,
          format,
          topic,
          topicPart,
          topicHost,
          velocity,
          bozo,
          wanted,
          callbackPart,
          callbackHost);
    }
  }

  /** A condition on a number; an unknown number does not meet it. */
  record Bound(Comparison comparison, double value) {}

  /** How a number is compared. */
  enum Comparison {
    EQUAL,
    LESS,
    AT_MOST,
    MORE,
    AT_LEAST
  }
}
