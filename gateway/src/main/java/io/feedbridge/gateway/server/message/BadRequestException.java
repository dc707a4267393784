package io.feedbridge.gateway.server.message;

/**
 * The request cannot be understood. A {@link Handler} throws it or completes its stage with it; the
 * answer is a 400 text/plain with the message, which therefore is written for the client.
 */
public final class BadRequestException extends RuntimeException {
  /**
   * @param reason the fault of the request, for the client to read
   */
  public BadRequestException(String reason) {
    super(reason);
  }

  /** The reason that the client is told. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
