package io.feedbridge.gateway.opml;

/**
 * A line of a list.
 *
 * @param url of the feed, as the list has it; empty if it names none
 * @param title empty if it has none
 * @param line of the document in which its tag ends; 0 for a feed that was not read
 */
public record Outline(String url, String title, int line) {

  /** Whether the line names a feed. */
  public boolean namesFeed() {
    return !url.isEmpty();
  }

  /** A feed of a list that is to be written. */
  public Outline(String url, String title) {
    this(url, title, 0);
  }
}
