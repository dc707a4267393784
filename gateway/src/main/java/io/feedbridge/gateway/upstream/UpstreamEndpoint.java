package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.UpstreamSubscription;
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
  CompletableFuture<Void> unsubscribe(UpstreamSubscription following);

  /** The answer of an endpoint to a request. */
  sealed interface Answer {

    /** It will verify the request, or has done so. */
    record Accepted() implements Answer {}

    /** It has subscribed the gateway already; nothing more is to come. */
    record Registered() implements Answer {}

    /**
     * The endpoint refuses, or could not be reached.
     *
     * @param reason for operators
     * @param atFault whether the endpoint failed, instead of refusing
     */
    record Refused(String reason, boolean atFault) implements Answer {
      Refused(String reason) {
        this(reason, false);
      }
    }

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
