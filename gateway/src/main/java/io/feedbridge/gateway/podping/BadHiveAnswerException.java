package io.feedbridge.gateway.podping;

/** An answer of a node that is none. */
final class BadHiveAnswerException extends Exception {

  private static final long serialVersionUID = 1;

  BadHiveAnswerException(String reason) {
    super(reason);
  }
}
