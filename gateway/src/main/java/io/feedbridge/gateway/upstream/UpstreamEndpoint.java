package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A hub or a cloud as its subscriber sees it: the requests of one protocol. */
interface UpstreamEndpoint {

  /**
   * Asks to be subscribed, or to renew. The endpoint may call back before it answers.
   *
   * @return never completes exceptionally
   */
  CompletableFuture<Answer> subscribe(UpstreamSubscription following);

  /**
   * Ends a subscription, if the protocol has a request for that.
   *
   * @return completes when the request was answered or has failed; never exceptionally
   */
  CompletableFuture<Answer> unsubscribe(UpstreamSubscription following);

  /** The answer of an endpoint to a request. */
  sealed interface Answer {

    /** Whether the endpoint answered the request; empty if it was not asked. */
    default Optional<Boolean> heard() {
      if (this instanceof Refused refused && !refused.by.answered) {
        return refused.atFault() ? Optional.of(false) : Optional.empty();
      }
      return this instanceof CutOff ? Optional.empty() : Optional.of(true);
    }

    /** Why the endpoint did not take the request, for operators; empty if it did. */
    default String reason() {
      return "";
    }

    /** It will verify the request, or has done so. */
    record Accepted() implements Answer {}

    /**
     * It has subscribed the gateway already; nothing more is to come.
     *
     * @param how for operators: the way that was taken among several; empty where there was one
     */
    record Registered(String how) implements Answer {}

    /**
     * The endpoint refuses, or could not be reached.
     *
     * @param reason for operators
     * @param by whether the endpoint refused or failed
     */
    record Refused(String reason, By by) implements Answer {
      /** The endpoint answered and refused. */
      Refused(String reason) {
        this(reason, By.ANSWER);
      }

      /** Whether the endpoint failed, instead of refusing. */
      boolean atFault() {
        return by == By.SILENCE;
      }

      /** Whether the endpoint may take another URL of the feed. */
      boolean mayTakeOtherTopic() {
        return by != By.SILENCE && by != By.PROTOCOL;
      }
    }

    /** The end of a request that was refused. */
    enum By {
      /** An answer of the endpoint. */
      ANSWER(true),
      /** An answer of the endpoint: it refuses the protocol, whatever the feed. */
      PROTOCOL(true),
      /** The endpoint was asked, and no answer came in time. */
      SILENCE(false),
      /** The request was not sent. */
      GATEWAY(false);

      private final boolean answered;

      By(boolean answered) {
        this.answered = answered;
      }
    }

    /**
     * The endpoint can take no request now, whatever the feed: it has too many, or fails. The
     * request is repeated later.
     *
     * @param reason for operators
     * @param retryAfter how long it wants to be left alone, if it says so
     */
    record Busy(String reason, Optional<Duration> retryAfter) implements Answer {}

    /**
     * The endpoint refuses, and a subscription that it had for the gateway has ended.
     *
     * @param reason for operators
     */
    record Ended(String reason) implements Answer {}

    /** The gateway is stopping; the request is made again after the restart. */
    record CutOff() implements Answer {}
  }
}
