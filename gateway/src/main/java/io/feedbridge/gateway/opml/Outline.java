package io.feedbridge.gateway.opml;

/**
 * A feed in a list.
 *
 * @param url as the list has it
 * @param title empty if it has none
 * @param line of the document in which its tag ends; 0 for a feed that was not read
 */
public record Outline(String url, String title, int line) {

  /** A feed of a list that is to be written. */
  public Outline(String url, String title) {
    this(url, title, 0);
  }
}
