package io.feedbridge.gateway.cli.receive;

/**
 * A request as it is shown.
 *
 * @param kind of the request, in a few words
 * @param path of its URL
 * @param signature the result of the check of its signature
 * @param id of the message; empty where the protocol has none
 * @param text the body or the question; empty for none
 */
record Received(String kind, String path, Check signature, String id, String text) {

  /** The result of a check. */
  enum Check {
    /** The request needs no signature. */
    NONE(""),
    OK("signature ok"),
    WRONG("signature WRONG"),
    MISSING("no signature"),
    UNKNOWN("signature not checked: no --secret for it"),
    LATE("signature ok, but the time is more than 5 minutes off");

    private final String words;

    Check(String words) {
      this.words = words;
    }

    /** For a line of text; empty for {@link #NONE}. */
    String words() {
      return words;
    }

    /** Whether a receiver that checks signatures refuses the request. */
    boolean isBad() {
      return this == WRONG || this == MISSING || this == LATE;
    }
  }

  /** Whether it brought something, as challenges do not. */
  boolean isDelivery() {
    return kind.startsWith("delivery");
  }
}
