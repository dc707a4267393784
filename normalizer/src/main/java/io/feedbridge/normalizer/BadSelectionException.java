package io.feedbridge.normalizer;

import java.io.Serial;

/** A text that selects nothing of any document, or nothing of one. */
public final class BadSelectionException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  BadSelectionException(String reason) {
    super(reason);
  }

  /** One sentence for people, without a capital and a stop. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
