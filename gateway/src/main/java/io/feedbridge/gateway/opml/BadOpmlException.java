package io.feedbridge.gateway.opml;

/** A document that is no list of feeds; the message is a sentence for people. */
public final class BadOpmlException extends Exception {
  private static final long serialVersionUID = 1L;

  BadOpmlException(String message) {
    super(message);
  }
}
