package io.feedbridge.gateway.cli;

/** A gateway could not be asked, or refused; the message says why and what to do, in one line. */
final class GatewayException extends Exception {

  private static final long serialVersionUID = 1L;

  private final boolean passing;

  /**
   * A failure.
   *
   * @param passing whether the same may well succeed later
   */
  GatewayException(String message, boolean passing) {
    super(PlainText.of(message));
    this.passing = passing;
  }

  /** The reason, for people. */
  String reason() {
    return String.valueOf(getMessage());
  }

  /** Whether the same may well succeed later. */
  boolean isPassing() {
    return passing;
  }
}
