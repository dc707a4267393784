package io.feedbridge.gateway.store.log;

/** The bounds of one event, and of one document that several events are delivered in. */
public final class Document {

  /** Entries; more become several. */
  public static final int MAX_ENTRIES = 100;

  /** Bytes as stored; a single entry may be longer. */
  public static final int MAX_BYTES = 1 << 20;

  private Document() {}
}
