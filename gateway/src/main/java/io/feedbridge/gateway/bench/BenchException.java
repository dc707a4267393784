package io.feedbridge.gateway.bench;

/**
 * The reason for which a bench, or a scenario of it, has no result; the message is fit for the
 * user.
 */
public final class BenchException extends Exception {

  private static final long serialVersionUID = 1;

  BenchException(String message) {
    super(message);
  }

  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
