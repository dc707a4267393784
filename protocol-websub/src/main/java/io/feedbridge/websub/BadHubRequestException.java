package io.feedbridge.websub;

/**
 * A request that a hub refuses. The message is the reason, in one line, to be sent as text/plain
 * with a 4xx status (WebSub §5.1.2).
 */
public final class BadHubRequestException extends Exception {
  private static final long serialVersionUID = 1L;

  BadHubRequestException(String reason) {
    super(reason);
  }

  /** The reason, safe to send: one line, without control characters. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
