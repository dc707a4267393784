package io.feedbridge.gateway.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** The store could not do what was asked; nothing of it happened. */
public final class StoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreException(String message) {
    super(message);
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
