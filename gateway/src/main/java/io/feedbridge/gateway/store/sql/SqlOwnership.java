package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Ownership;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The owner of a store, as the row of its epoch tells. */
final class SqlOwnership implements Ownership {

  private final Database database;
  private volatile @Nullable String node;

  SqlOwnership(Database database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Void> announce(String name) {
    node = name;
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate("UPDATE owner SET node = :node WHERE id = 1")
                .bind("node", name)
                .execute());
  }

  @Override
  public Owner self() {
    return new Owner(node, database.epoch(), null);
  }

  @Override
  public Owner owner() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT node, epoch, opened_at FROM owner WHERE id = 1")
                .map(
                    (row, context) ->
                        new Owner(
                            row.getString("node"),
                            row.getLong("epoch"),
                            Rows.instant(row, "opened_at")))
                .one());
  }

  @Override
  public List<Standby> standbys() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT name, state, since FROM node n
                    WHERE state <> 'active'
                      AND NOT EXISTS (SELECT 1 FROM owner o WHERE o.incarnation = n.incarnation)
                    ORDER BY name, since
                    """)
                .map(
                    (row, context) ->
                        new Standby(
                            row.getString("name"),
                            row.getString("state").equals("dead"),
                            Rows.instant(row, "since")))
                .list());
  }

  @Override
  public long behind() {
    return database.readLong(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT (SELECT COUNT(*) FROM work)
                      + (SELECT COUNT(*) FROM feed WHERE head > rounded)
                    """)
                .mapTo(Long.class)
                .one());
  }
}
