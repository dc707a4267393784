package io.feedbridge.gateway.store;

/** The store could not do what was asked; nothing of it happened. */
public final class StoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreException(String message) {
    super(message);
  }
}
