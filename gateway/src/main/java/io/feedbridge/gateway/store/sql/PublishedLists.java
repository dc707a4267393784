package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.PublishedList;
import io.feedbridge.gateway.store.PublishedList.Item;
import io.feedbridge.gateway.store.sql.database.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/** Lists of feeds that the gateway publishes. Safe for use by several threads. */
public final class PublishedLists {

  private final Database database;

  public PublishedLists(Database database) {
    this.database = database;
  }

  /** The list of a name. */
  public Optional<PublishedList> byName(String name) {
    return database.read(handle -> byName(handle, name));
  }

  /** The lists in the order of their names, behind a name. */
  public List<PublishedList> list(String after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT * FROM published_list WHERE name > :after ORDER BY name LIMIT :limit")
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> list(row))
                .list());
  }

  /**
   * Makes a list or changes it, in one transaction.
   *
   * @param change of the list as it is, which is absent where there is none; empty for no change
   * @return the list as it is then; empty where there are {@link PublishedList#MAX} others
   */
  public CompletableFuture<Optional<PublishedList>> change(
      String name, Function<Optional<PublishedList>, Optional<PublishedList>> change) {
    return database.write(
        (handle, effects) -> {
          Optional<PublishedList> before = byName(handle, name);
          Optional<PublishedList> after = change.apply(before);
          if (after.isEmpty()) {
            return before;
          }
          if (before.isEmpty() && count(handle) >= PublishedList.MAX) {
            return Optional.empty();
          }
          put(handle, after.get());
          return after;
        });
  }

  private static void put(Handle handle, PublishedList list) {
    handle
        .createUpdate(
            """
            INSERT INTO published_list (name, title, feeds, changed_at)
            VALUES (:name, :title, :feeds, :at)
            ON CONFLICT (name) DO UPDATE SET
              title = excluded.title, feeds = excluded.feeds, changed_at = excluded.changed_at
            """)
        .bind("name", list.name())
        .bind("title", list.title())
        .bind("feeds", Json.text(list.feeds()))
        .bind("at", list.changedAt().toEpochMilli())
        .execute();
  }

  private static long count(Handle handle) {
    return handle.createQuery("SELECT COUNT(*) FROM published_list").mapTo(Long.class).one();
  }

  /** Publishes a list no more; returns whether there was one. */
  public CompletableFuture<Boolean> remove(String name) {
    return database.write(
        (handle, effects) ->
            handle
                    .createUpdate("DELETE FROM published_list WHERE name = :name")
                    .bind("name", name)
                    .execute()
                > 0);
  }

  private static Optional<PublishedList> byName(Handle handle, String name) {
    return handle
        .createQuery("SELECT * FROM published_list WHERE name = :name")
        .bind("name", name)
        .map((row, context) -> list(row))
        .findOne();
  }

  private static PublishedList list(ResultSet row) throws SQLException {
    return new PublishedList(
        row.getString("name"),
        row.getString("title"),
        List.of(Json.read(row.getString("feeds"), Item[].class)),
        Instant.ofEpochMilli(row.getLong("changed_at")));
  }
}
