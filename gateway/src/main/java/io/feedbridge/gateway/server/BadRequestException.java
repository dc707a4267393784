package io.feedbridge.gateway.server;

/**
 * The request cannot be understood. Thrown from a {@link Handler}, or what its stage completes
 * with, it is answered 400 text/plain with the message, which therefore is written for the client.
 */
public final class BadRequestException extends RuntimeException {
  /**
   * @param reason what is wrong with the request, for the client to read
   */
  public BadRequestException(String reason) {
    super(reason);
  }

  /** The reason that the client is told. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
