package io.feedbridge.gateway.webhook;

/** An expression is no filter. */
public final class BadFilterException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * @param position of the character at fault, from 1
   * @param reason the fault, for the author of the filter
   */
  BadFilterException(int position, String reason) {
    super("character %d: %s".formatted(position, reason));
  }

  /** The position and the error. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
