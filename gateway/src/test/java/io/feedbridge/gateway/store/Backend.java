package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.sql.SqlAccounts;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.work.Work;

/** What a contract suite needs of an adapter: both ports over one place, and a restart there. */
public interface Backend extends AutoCloseable {

  Store store();

  /** The database under both. */
  Database database();

  Work work();

  /** Users and tokens that are made beside the ports. */
  SqlAccounts accounts();

  /** Stops and starts again over the same place; both ports are new ones afterwards. */
  void restart();

  @Override
  void close();
}
