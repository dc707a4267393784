package io.feedbridge.gateway.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** The store could not do what was asked; nothing of it happened. */
public final class StoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean known;

  public StoreException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  public StoreException(String message) {
    this(message, null);
  }

  private StoreException(String message, @Nullable Throwable cause, boolean known) {
    super(message, cause);
    this.known = known;
  }

  /**
   * The store takes no writes for now, whatever they are.
   *
   * @param reason in words, as {@link StoreHealth} has it
   */
  public static StoreException noWrites(String reason) {
    return new StoreException("the store takes no writes: " + reason, null, true);
  }

  /** Whether this is about a state that was logged when it began, and need not be each time. */
  public boolean isKnown() {
    return known;
  }

  /**
   * Something on disk cannot be used.
   *
   * @param what as the operator knows it, such as {@code the data folder /srv/data}
   */
  public static StoreException unusable(String what, IOException cause) {
    return new StoreException(what + " cannot be used: " + reason(cause), cause);
  }

  /** In words, where the JDK's own message is only the file's name. */
  private static String reason(IOException cause) {
    if (cause instanceof AccessDeniedException denied) {
      return "permission denied for " + denied.getFile();
    }
    return cause instanceof NoSuchFileException missing
        ? "there is no " + missing.getFile()
        : String.valueOf(cause.getMessage());
  }
}
