package io.feedbridge.gateway.store;

import java.util.concurrent.CompletableFuture;

/** A request needs the node that owns the store; this node has changed nothing. */
public final class NotOwnerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public NotOwnerException() {
    super("only the node that owns the store can do this", null, false, false);
  }

  /** A future that has failed so. */
  public static <T> CompletableFuture<T> future() {
    return CompletableFuture.failedFuture(new NotOwnerException());
  }

  /** Whether a failure is one, or was caused by one. */
  public static boolean isCauseOf(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof NotOwnerException) {
        return true;
      }
    }
    return false;
  }
}
