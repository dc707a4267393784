package io.feedbridge.gateway.store.postgres;

import static io.feedbridge.gateway.store.sql.commit.StorageFailure.words;

import io.feedbridge.gateway.store.sql.commit.StorageException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import java.sql.SQLException;
import java.util.Optional;

/** Tells failures of the server or the connection to it from failures of a statement. */
final class PostgresFailures {

  private static final String DEADLOCK = "40P01";
  private static final String NOT_SERIALIZABLE = "40001";
  private static final String OUTCOME_UNKNOWN = "40003";

  private PostgresFailures() {}

  /** The failure of the storage that is behind an exception, if there is one. */
  static Optional<StorageFailure> behind(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException told) {
        return of(told);
      }
      if (cause instanceof StorageException known) {
        return Optional.of(known.failure());
      }
    }
    return Optional.empty();
  }

  /** Whether the server has answered that the transaction was rolled back. */
  static boolean isRolledBack(Throwable failure) {
    String state = state(failure);
    return state.startsWith("40") && !state.equals(OUTCOME_UNKNOWN);
  }

  /** Whether a transaction was in the way of another one, so that it may succeed the next time. */
  static boolean isRepeatable(Throwable failure) {
    String state = state(failure);
    return state.equals(DEADLOCK) || state.equals(NOT_SERIALIZABLE);
  }

  private static String state(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException told) {
        return String.valueOf(told.getSQLState());
      }
    }
    return "";
  }

  /** By the class of the state, which its first two characters are. */
  private static Optional<StorageFailure> of(SQLException told) {
    String state = String.valueOf(told.getSQLState());
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "08" -> passing("the connection to the database failed (%s)".formatted(words(told)));
      case "25" ->
          state.equals("25006")
              ? passing("the database is read-only (%s)".formatted(words(told)))
              : Optional.empty();
      case "53" -> passing("the database lacks resources (%s)".formatted(words(told)));
      case "57" ->
          state.startsWith("57P") || state.equals("57014")
              ? passing("the database ended the session (%s)".formatted(words(told)))
              : Optional.empty();
      case "55" ->
          state.equals("55P03")
              ? passing("another session of the database holds a lock (%s)".formatted(words(told)))
              : Optional.empty();
      case "58" -> passing("the database reports an error (%s)".formatted(words(told)));
      case "28" -> passing("the database refuses the login (%s)".formatted(words(told)));
      case "XX" ->
          Optional.of(
              StorageFailure.lasting(
                  "the database is damaged (%s): stop the gateway and restore a backup"
                      .formatted(words(told))));
      default -> Optional.empty();
    };
  }

  private static Optional<StorageFailure> passing(String why) {
    return Optional.of(StorageFailure.passing("the store cannot be written: " + why));
  }
}
