package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.Change;
import java.util.Optional;

/**
 * The kind of work that a commit may have made due, in the store or in the work queue, which share
 * the file.
 */
public enum Effect {
  WORK_ADDED(null),
  FETCH_DUE(Change.FETCH_DUE),
  FETCHED(Change.FETCHED),
  APPENDED(Change.APPENDED),
  VERIFICATION(Change.VERIFICATION),
  FOLLOWING(Change.FOLLOWING),
  WEBHOOK(Change.WEBHOOK);

  private final Optional<Change> change;

  Effect(@org.jspecify.annotations.Nullable Change change) {
    this.change = Optional.ofNullable(change);
  }

  public Optional<Change> change() {
    return change;
  }
}
