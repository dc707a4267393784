package io.feedbridge.gateway.store.sql.commit;

import java.sql.SQLException;

/**
 * A failure of the storage, as opposed to a failure of the statement.
 *
 * @param reason in words, for the operator
 * @param lasting whether it stays until the gateway is restarted
 */
public record StorageFailure(String reason, boolean lasting) {

  /** A failure that may be over with the next try. */
  public static StorageFailure passing(String reason) {
    return new StorageFailure(reason, false);
  }

  /** A failure that stays until the gateway is restarted. */
  public static StorageFailure lasting(String reason) {
    return new StorageFailure(reason, true);
  }

  /**
   * The database's own message of a failure, which never contains the values of the statement,
   * since these may be secrets.
   */
  public static String words(Throwable failure) {
    Throwable deepest = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      deepest = cause;
      if (cause instanceof SQLException) {
        break;
      }
    }
    return String.valueOf(deepest.getMessage());
  }
}
