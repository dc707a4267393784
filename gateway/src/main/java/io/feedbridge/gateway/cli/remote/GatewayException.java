package io.feedbridge.gateway.cli.remote;

/**
 * The gateway could not be reached, or refused; the message says the reason and the remedy, in one
 * line.
 */
public final class GatewayException extends Exception {

  private static final long serialVersionUID = 1L;

  private final boolean passing;

  /**
   * A failure.
   *
   * @param passing whether the same may well succeed later
   */
  public GatewayException(String message, boolean passing) {
    super(PlainText.of(message));
    this.passing = passing;
  }

  /** The reason, in a human-readable sentence. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  /** Whether the same may well succeed later. */
  public boolean isPassing() {
    return passing;
  }
}
