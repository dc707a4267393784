package io.feedbridge.gateway.web.common;

/** Text of strangers in pages. */
public final class Html {

  private Html() {}

  /** The text as it can stand between tags and in quoted attributes. */
  public static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
