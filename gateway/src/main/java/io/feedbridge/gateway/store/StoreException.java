package io.feedbridge.gateway.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** The store could not carry out a request; no part of the request took effect. */
public final class StoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean known;
  private final boolean general;

  public StoreException(String message, @Nullable Throwable cause) {
    this(message, cause, false, false);
  }

  public StoreException(String message) {
    this(message, null);
  }

  private StoreException(
      String message, @Nullable Throwable cause, boolean known, boolean general) {
    super(message, cause);
    this.known = known;
    this.general = general;
  }

  /**
   * The store could not have done anything else either: the disk, the file, the connection or the
   * queue of writes is in the way, not the request.
   */
  public static StoreException general(String message, @Nullable Throwable cause) {
    return new StoreException(message, cause, false, true);
  }

  /** Whether a failure concerns the whole store, not the request that met it. */
  public static boolean isGeneral(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StoreException store && store.general) {
        return true;
      }
    }
    return false;
  }

  /**
   * The store takes no writes for now, whatever they are.
   *
   * @param reason in words, as {@link StoreHealth} has it
   */
  public static StoreException noWrites(String reason) {
    return new StoreException("the store takes no writes: " + reason, null, true, true);
  }

  /** Whether this is about a state that was logged when it began, and need not be each time. */
  public boolean isKnown() {
    return known;
  }

  /**
   * A file or folder cannot be used.
   *
   * @param name the name that the operator knows, such as {@code the data folder /srv/data}
   */
  public static StoreException unusable(String name, IOException cause) {
    return new StoreException(name + " cannot be used: " + reason(cause), cause);
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
