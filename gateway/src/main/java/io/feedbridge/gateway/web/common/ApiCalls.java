package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.store.StoreException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes handlers of the operations of the API: each asks whether the caller may act as the operator
 * and answers whatever goes wrong as a problem.
 *
 * @param refusal the answer to a request that may not act as the operator; empty for one that may
 * @param blocking where requests are worked on, apart from the threads of intake
 */
public record ApiCalls(Function<Request, Optional<Response>> refusal, CallerThreads blocking) {

  private static final int BAD_REQUEST = 400;
  private static final int UNAVAILABLE = 503;
  private static final int FAILED = 500;
  private static final String RETRY_AFTER_SECONDS = "5";

  private static final Logger log = LoggerFactory.getLogger(ApiCalls.class);

  /** The operation of a route; it may block. */
  public interface Operation {
    Response run(Request request);
  }

  /** The operation of a route that may block at its beginning, and answers later. */
  public interface Beginning {
    CompletionStage<Response> begin(Request request);
  }

  /** The handler of an operation. */
  public Handler guarded(Operation operation) {
    return guarded(operation, blocking);
  }

  /** The handler of an operation that runs on other threads. */
  public Handler guarded(Operation operation, CallerThreads threads) {
    return guardedLater(
        request -> CompletableFuture.completedFuture(operation.run(request)), threads);
  }

  /** The handler of an operation that answers later. */
  public Handler guardedLater(Beginning operation) {
    return guardedLater(operation, blocking);
  }

  private Handler guardedLater(Beginning operation, CallerThreads threads) {
    return request -> {
      Optional<Response> refused = refusal.apply(request);
      if (refused.isPresent()) {
        return CompletableFuture.completedFuture(refused.get());
      }
      return threads
          .begin(request, () -> operation.begin(request))
          .exceptionally(ApiCalls::problem);
    };
  }

  private static Response problem(Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (failure instanceof NotOwnerException) {
      throw new CompletionException(failure);
    }
    if (failure instanceof BadFieldException bad) {
      return Answers.problem(BAD_REQUEST, "a parameter is wrong", bad.error());
    }
    if (failure instanceof BadRequestException bad) {
      return Answers.problem(BAD_REQUEST, bad.reason());
    }
    if (failure instanceof StoreException || failure instanceof RejectedExecutionException) {
      log.atWarn().addKeyValue("reason", failure.getMessage()).log("A request was turned away");
      return Answers.problem(UNAVAILABLE, "the gateway cannot do this now: try again later")
          .withHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
    log.atError().setCause(failure).log("A request to the API failed");
    return Answers.problem(FAILED, "the gateway failed on this request; its log has the reason");
  }
}
