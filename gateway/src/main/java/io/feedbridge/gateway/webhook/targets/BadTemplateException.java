package io.feedbridge.gateway.webhook.targets;

/** A template that cannot be read, or that makes no message of a document. */
public final class BadTemplateException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * With the reason.
   *
   * @param reason without the values of the document
   */
  BadTemplateException(String reason) {
    super(reason);
  }
}
