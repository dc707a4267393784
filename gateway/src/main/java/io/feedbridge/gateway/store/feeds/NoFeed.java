package io.feedbridge.gateway.store.feeds;

import org.jspecify.annotations.Nullable;

/**
 * The document of a topic that is no feed, or the part that its topic selects: the gateway follows
 * its bytes.
 *
 * @param problem why it has no entries, in a sentence for people; null for a selected part, each
 *     change of which is an entry
 */
public record NoFeed(Content content, @Nullable String problem) {

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
