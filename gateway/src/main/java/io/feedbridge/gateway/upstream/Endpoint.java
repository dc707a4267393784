package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.Following;
import java.util.concurrent.CompletableFuture;

/** A hub or a cloud as its subscriber sees it: the requests of one protocol. */
interface Endpoint {

  /**
   * Asks to be subscribed, or to renew. The endpoint may call back before it answers.
   *
   * @return never completes exceptionally
   */
  CompletableFuture<Answer> subscribe(Following following);

  /**
   * Says that nothing more is wanted, where the protocol has a way to.
   *
   * @return completes when that was said or could not be; never exceptionally
   */
  CompletableFuture<Void> unsubscribe(Following following);

  /** What an endpoint said to a request. */
  sealed interface Answer {

    /** It will verify the request, or has done so. */
    record Accepted() implements Answer {}

    /** It has subscribed the gateway already; nothing more is to come. */
    record Registered() implements Answer {}

    /**
     * It will not, or could not be reached.
     *
     * @param reason for people
     * @param atFault whether it fails, as opposed to saying no
     */
    record Refused(String reason, boolean atFault) implements Answer {
      Refused(String reason) {
        this(reason, false);
      }
    }

    /** The gateway is stopping; the request is made again after the restart. */
    record CutOff() implements Answer {}
  }
}
