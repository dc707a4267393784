package io.feedbridge.gateway.retrieve;

/** No feed in question ever had an entry with the id that somebody names. */
public final class UnknownEntryException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnknownEntryException() {
    super("no entry of this id is known");
  }
}
