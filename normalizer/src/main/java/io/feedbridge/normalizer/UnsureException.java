package io.feedbridge.normalizer;

/**
 * Thrown where a document is not of the plain form that a scan knows; only a full reading can tell.
 */
final class UnsureException extends Exception {
  private static final long serialVersionUID = 1L;

  UnsureException() {
    super("The document is to be read as a whole.", null, false, false);
  }
}
