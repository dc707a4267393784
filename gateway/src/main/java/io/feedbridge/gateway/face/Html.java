package io.feedbridge.gateway.face;

/** Text of strangers in pages. */
final class Html {

  private Html() {}

  /** The text as it can stand between tags and in quoted attributes. */
  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
