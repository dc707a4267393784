package io.feedbridge.gateway.store.sqlite;

import static io.feedbridge.gateway.store.sql.commit.StorageFailure.words;

import io.feedbridge.gateway.store.sql.commit.StorageException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import java.nio.file.Path;
import java.util.Optional;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Tells failures of the disk or the file from failures of a statement. */
final class SqliteFailures {

  /** The bits above it hold details, such as the kind of an I/O error. */
  private static final int PRIMARY_CODE = 0xff;

  private SqliteFailures() {}

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

  private static Optional<StorageFailure> of(SQLiteException told, Path file) {
    SQLiteErrorCode code = primary(told.getResultCode());
    return switch (code) {
      case SQLITE_FULL -> passing("the disk is full");
      case SQLITE_CORRUPT, SQLITE_NOTADB ->
          Optional.of(
              StorageFailure.lasting(
                  "the file %s is damaged (%s): stop the gateway and restore a backup"
                      .formatted(file, words(told))));
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
    return Optional.of(StorageFailure.passing(reason));
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
}
