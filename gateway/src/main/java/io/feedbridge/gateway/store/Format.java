package io.feedbridge.gateway.store;

/** What a subscriber is sent. */
public enum Format {
  /** The new entries as a Superfeedr Atom document; the exact bytes of what is no feed. */
  ATOM,
  /** The new entries as Superfeedr JSON; the exact bytes of what is no feed. */
  JSON,
  /** The new entries as RSS 2.0; the exact bytes of what is no feed. */
  RSS,
  /** The new entries as JSON Feed 1.1; the exact bytes of what is no feed. */
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
