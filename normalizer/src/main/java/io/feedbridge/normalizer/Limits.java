package io.feedbridge.normalizer;

/** The bounds of one document. */
public final class Limits {
  /** Bytes of a document, after decompression. */
  public static final int MAX_BYTES = 16 * 1024 * 1024;

  /** Elements (or JSON values) nested in one another. */
  public static final int MAX_DEPTH = 100;

  /** Elements of a document. */
  public static final int MAX_ELEMENTS = 1_000_000;

  /** Attributes of one element. */
  public static final int MAX_ATTRIBUTES = 100;

  /** Namespace declarations in force at one element; they are looked up one by one. */
  public static final int MAX_NAMESPACES = 200;

  /** Different names of elements, attributes, prefixes and the like in a document. */
  public static final int MAX_NAMES = 5_000;

  /** Characters of one text, or of one string of JSON. */
  public static final int MAX_TEXT_LENGTH = 8 * 1024 * 1024;

  /** Characters that the entities of a DOCTYPE add to a document; further ones stay unread. */
  public static final int MAX_ENTITY_TEXT = 64 * 1024;

  /** Characters of one attribute's value. */
  public static final int MAX_ATTRIBUTE_LENGTH = 256 * 1024;

  /** Entries of a document; further ones are left out, which counts as a repair. */
  public static final int MAX_ENTRIES = 10_000;

  /** Links, categories or authors of one entry; further ones are left out. */
  public static final int MAX_VALUES = 1_000;

  private Limits() {}
}
