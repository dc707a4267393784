package io.feedbridge.gateway.store.log;

import io.feedbridge.normalizer.FeedFamily;
import org.jspecify.annotations.Nullable;

/**
 * The format of a topic's own document.
 *
 * @param mediaType the origin's {@code Content-Type} with its parameters, if it sent one
 */
public record TopicFormat(FeedFamily family, @Nullable String mediaType) {

  /** The format of a document; null where the document's format is of no family. */
  public static @Nullable TopicFormat of(@Nullable FeedFamily family, @Nullable String mediaType) {
    return family == null ? null : new TopicFormat(family, mediaType);
  }

  /** Whether the document is a list of feeds. */
  public boolean ofList() {
    return family == FeedFamily.OPML;
  }
}
