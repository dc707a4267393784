package io.feedbridge.gateway.store.sql.database;

import org.jdbi.v3.core.config.JdbiConfig;

/**
 * Whether the database has a second writer beside the one whose statements these are; see {@link
 * Database#writeBeside}. This configuration goes with each statement. Not thread-safe.
 */
public final class WriterBeside implements JdbiConfig<WriterBeside> {

  private boolean exists;

  /** Says that there is one. */
  public void set() {
    exists = true;
  }

  /** Whether there is one. */
  public boolean exists() {
    return exists;
  }

  @Override
  public WriterBeside createCopy() {
    WriterBeside copy = new WriterBeside();
    copy.exists = exists;
    return copy;
  }
}
