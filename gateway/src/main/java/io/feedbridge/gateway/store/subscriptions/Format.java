package io.feedbridge.gateway.store.subscriptions;

import io.feedbridge.gateway.store.log.TopicFormat;

/** The format of the documents that a subscriber receives. */
public enum Format {
  /**
   * The new entries in the topic's own family and media type, with the ids of the origin's document
   * ({@link TopicFormat}); the exact bytes of a topic that is no feed.
   */
  AUTO,
  /** The new entries as a Superfeedr Atom document; the exact bytes of a topic that is no feed. */
  ATOM,
  /** The new entries as Superfeedr JSON; the exact bytes of a topic that is no feed. */
  JSON,
  /** The new entries as RSS 2.0; the exact bytes of a topic that is no feed. */
  RSS,
  /** The new entries as JSON Feed 1.1; the exact bytes of a topic that is no feed. */
  JSONFEED,
  /** The topic's own bytes, whole. */
  RAW,
  /** No content: only which feed changed. */
  LIGHT;

  /** Whether a change of the bytes alone is news in this format (DESIGN §1). */
  public boolean wantsBytes() {
    return this == RAW || this == LIGHT;
  }
}
