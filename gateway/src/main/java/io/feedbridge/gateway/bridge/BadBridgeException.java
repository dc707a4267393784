package io.feedbridge.gateway.bridge;

/** A URL of a bridged feed that stands for no feed; the message says why. */
public final class BadBridgeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BadBridgeException(String reason) {
    super(reason);
  }

  /** The reason in one line, safe to send. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
