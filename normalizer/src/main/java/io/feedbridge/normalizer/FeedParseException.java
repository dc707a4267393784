package io.feedbridge.normalizer;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A document that gives no feed. The message is one sentence for a person, with line and column
 * where they are known.
 */
public final class FeedParseException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  /** Why there is no feed. */
  public enum Kind {
    /** HTML, JSON, plain text or any other thing that does not pretend to be a feed. */
    NOT_A_FEED,
    /** A feed that cannot be read. */
    BROKEN,
    /** A document beyond {@link Limits}. */
    TOO_LARGE,
    /** An XML redirect to {@link #newLocation()}; without one, the feed is gone. */
    MOVED
  }

  private final Kind kind;
  private final int line;
  private final int column;
  private final @Nullable String newLocation;

  private FeedParseException(
      Kind kind,
      String message,
      int line,
      int column,
      @Nullable String newLocation,
      @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.line = line;
    this.column = column;
    this.newLocation = newLocation;
  }

  static FeedParseException notAFeed(String message) {
    return new FeedParseException(Kind.NOT_A_FEED, message, 0, 0, null, null);
  }

  static FeedParseException broken(String message, @Nullable Throwable cause) {
    return new FeedParseException(Kind.BROKEN, message, 0, 0, null, cause);
  }

  static FeedParseException at(
      Kind kind, int line, int column, String what, @Nullable Throwable cause) {
    String where = line > 0 ? " (line " + line + ", column " + column + ")" : "";
    return new FeedParseException(kind, what + where + ".", line, column, null, cause);
  }

  static FeedParseException tooLarge(String message) {
    return new FeedParseException(Kind.TOO_LARGE, message, 0, 0, null, null);
  }

  static FeedParseException moved(@Nullable String newLocation) {
    String message =
        newLocation == null
            ? "The document is an XML redirect to nowhere: the feed is gone."
            : "The document is an XML redirect to " + newLocation + ".";
    return new FeedParseException(Kind.MOVED, message, 0, 0, newLocation, null);
  }

  /** Why there is no feed. */
  public Kind kind() {
    return kind;
  }

  /** Whether the document is something else than a feed, rather than a broken one. */
  public boolean notAFeed() {
    return kind == Kind.NOT_A_FEED;
  }

  /** Line from 1; 0 where it is not known. */
  public int line() {
    return line;
  }

  /** Column from 1; 0 where it is not known. */
  public int column() {
    return column;
  }

  /** Where an XML redirect leads, absolute; null for a feed that is gone and for other kinds. */
  public @Nullable String newLocation() {
    return newLocation;
  }
}
