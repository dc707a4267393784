package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Handlers of paths that write to the store. */
public final class GuardedHandler {

  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "5";

  private static final Logger log = LoggerFactory.getLogger(GuardedHandler.class);

  private GuardedHandler() {}

  /**
   * The same handler, which answers 503 with {@code Retry-After} where a write failed or no thread
   * was free, so that the caller comes again and does not believe it done.
   */
  public static Handler of(Handler handler) {
    return request -> {
      CompletionStage<Response> answer;
      try {
        answer = handler.handle(request);
      } catch (RejectedExecutionException e) {
        return CompletableFuture.completedFuture(unavailable(e));
      }
      return answer.exceptionally(
          failure -> {
            Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            if (cause instanceof StoreException || cause instanceof RejectedExecutionException) {
              return unavailable(cause);
            }
            throw new CompletionException(cause);
          });
    };
  }

  private static Response unavailable(Throwable cause) {
    // Not with each request of a time in which the disk is full: the log may be on it.
    boolean known = cause instanceof StoreException failure && failure.isKnown();
    log.atLevel(known ? Level.DEBUG : Level.WARN)
        .addKeyValue("reason", cause.getMessage())
        .log("A request was turned away");
    return Response.text(UNAVAILABLE, "the gateway cannot take this now: try again later\n")
        .withHeader("Retry-After", RETRY_AFTER_SECONDS);
  }
}
