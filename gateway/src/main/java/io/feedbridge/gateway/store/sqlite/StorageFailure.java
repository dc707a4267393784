package io.feedbridge.gateway.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A failure of the disk or the file, as opposed to a failure of the statement.
 *
 * @param reason in words, for the operator
 * @param lasting whether it stays until the gateway is restarted
 */
record StorageFailure(String reason, boolean lasting) {

  /** The bits above it hold details, such as the kind of an I/O error. */
  private static final int PRIMARY_CODE = 0xff;

  /** The failure of the storage that is behind an exception, if there is one. */
  static Optional<StorageFailure> behind(Throwable failure, Path file) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLiteException told) {
        return of(told, file);
      }
      if (cause instanceof StorageException known) {
        return Optional.of(known.failure());
      }
    }
    return Optional.empty();
  }

  /** The storage failure behind an exception that only the storage can have caused. */
  static StorageFailure of(Throwable failure, Path file) {
    return behind(failure, file)
        .orElseGet(() -> new StorageFailure(cannotBeWritten(words(failure)), false));
  }

  private static Optional<StorageFailure> of(SQLiteException told, Path file) {
    SQLiteErrorCode code = primary(told.getResultCode());
    return switch (code) {
      case SQLITE_FULL -> passing("the disk is full");
      case SQLITE_CORRUPT, SQLITE_NOTADB ->
          Optional.of(
              new StorageFailure(
                  "the file %s is damaged (%s): stop the gateway and restore a backup"
                      .formatted(file, words(told)),
                  true));
      case SQLITE_READONLY, SQLITE_PERM ->
          passing(cannotBeWritten("%s is read-only (%s)".formatted(file, words(told))));
      case SQLITE_BUSY -> passing(cannotBeWritten("another program has locked %s".formatted(file)));
      case SQLITE_CANTOPEN ->
          passing(cannotBeWritten("%s cannot be opened (%s)".formatted(file, words(told))));
      case SQLITE_IOERR, SQLITE_NOLFS, SQLITE_PROTOCOL ->
          passing(cannotBeWritten("the disk reports an error (%s)".formatted(words(told))));
      default -> Optional.empty();
    };
  }

  /**
   * Whether the connection itself is in its way: a transaction that has ended left a statement
   * open, which still reads.
   */
  static boolean isLeftOpen(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLiteException told) {
        return primary(told.getResultCode()) == SQLiteErrorCode.SQLITE_LOCKED;
      }
    }
    return false;
  }

  private static Optional<StorageFailure> passing(String reason) {
    return Optional.of(new StorageFailure(reason, false));
  }

  private static String cannotBeWritten(String why) {
    return "the store cannot be written: " + why;
  }

  private static SQLiteErrorCode primary(SQLiteErrorCode code) {
    return SQLiteErrorCode.getErrorCode(code.code & PRIMARY_CODE);
  }

  /** In words, why something failed, be it the storage or not. */
  static String reason(Throwable failure, Path file) {
    return behind(failure, file).map(StorageFailure::reason).orElseGet(() -> words(failure));
  }

  /**
   * The database's own message of a failure, which never contains the values of the statement,
   * since these may be secrets.
   */
  static String words(Throwable failure) {
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
