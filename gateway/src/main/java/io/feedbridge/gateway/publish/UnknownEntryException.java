package io.feedbridge.gateway.publish;

/** None of the feeds in question ever had an entry with the id that the caller names. */
public final class UnknownEntryException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnknownEntryException() {
    super("no entry with this id is known");
  }
}
