package io.feedbridge.gateway.store.sqlite;

/** A failure of the storage that was found out otherwise than by an error of the database. */
final class StorageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient StorageFailure failure;

  StorageException(StorageFailure failure) {
    super(failure.reason());
    this.failure = failure;
  }

  StorageFailure failure() {
    return failure;
  }
}
