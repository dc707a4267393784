package io.feedbridge.gateway.search.query;

/** A text is no query; the message is a reason for the caller. */
public final class BadQueryException extends Exception {

  private static final long serialVersionUID = 1L;

  private final String reason;

  BadQueryException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** The reason, one sentence without a full stop. */
  public String reason() {
    return reason;
  }
}
