package io.feedbridge.gateway.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The WebSub subscriptions that are active, by the login that they were made with. */
public interface Holdings {

  /**
   * Those that match, the oldest first.
   *
   * @param offset how many of them to pass over
   */
  List<Holding> list(Filter filter, int limit, long offset);

  /** The feeds of those that match, without repetition, in the order of their ids. */
  List<FollowedFeed> feeds(Filter filter, int limit);

  /** A subscription with its feed. */
  record Holding(Subscription subscription, FollowedFeed feed) {}

  /**
   * What a subscription must be like; an absent part matches all. Letters' case makes no difference
   * in what is a part of a URL.
   *
   * @param owner the login
   * @param topic the feed's topic
   * @param topicPart stands somewhere in it
   * @param topicHost is its host name
   * @param velocity of the feed
   * @param bozo rank of the feed
   * @param callback as it is stored
   * @param callbackPart stands somewhere in it
   * @param callbackHost is its host name
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

    /** Those of a login, or of all. */
    public static Filter of(@Nullable String owner) {
      return new Filter(owner, null, null, null, null, null, null, null, null, null);
    }

    /** The same, to one topic. */
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

    /** The same, at one callback. */
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

  /** What a number must be like; one that is not known is like nothing. */
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
