package io.feedbridge.gateway.store.sql.commit;

/** A failure of the storage that was found out otherwise than by an error of the database. */
public final class StorageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient StorageFailure failure;

  /** A failure that is no exception of the driver. */
  public StorageException(StorageFailure failure) {
    super(failure.reason());
    this.failure = failure;
  }

  /** The failure. */
  public StorageFailure failure() {
    return failure;
  }
}
