package io.feedbridge.gateway.store;

/**
 * The document of a topic that is no feed: the gateway follows its bytes, and it has no entries.
 *
 * @param problem why it has no entries, in a sentence for people
 */
public record NoFeed(Content content, String problem) {

  /** The sort of a document that is no feed. */
  public enum Content {
    /** HTML. */
    PAGE,
    /** JSON, but no JSON Feed. */
    JSON,
    /** Anything else, such as broken XML. */
    OTHER
  }
}
