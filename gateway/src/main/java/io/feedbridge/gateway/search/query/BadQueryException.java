package io.feedbridge.gateway.search.query;

/** A text is no query or filter; the message is a reason for the caller. */
public final class BadQueryException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * @param position of the character at fault, from 1
   * @param reason one sentence without a full stop
   */
  BadQueryException(int position, String reason) {
    super("character %d: %s".formatted(position, reason));
  }

  /** The position and the reason. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
