package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Publisher;
import io.feedbridge.gateway.store.Publishers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The publishers in SQLite. */
final class SqlitePublishers implements Publishers {

  private final SqliteDatabase database;

  SqlitePublishers(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Publisher> add(String topic, String secret, Instant now) {
    return database.write(
        (handle, effects) ->
            handle
                .createQuery(
                    """
                    INSERT INTO publisher (topic, secret, created_at) VALUES (:topic, :secret, :now)
                    RETURNING *
                    """)
                .bind("topic", topic)
                .bind("secret", secret)
                .bind("now", now.toEpochMilli())
                .map((row, context) -> publisher(row))
                .one());
  }

  @Override
  public List<Publisher> of(String topic) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM publisher WHERE topic = :topic ORDER BY id")
                .bind("topic", topic)
                .map((row, context) -> publisher(row))
                .list());
  }

  @Override
  public List<Publisher> list(long afterId, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM publisher WHERE id > :after ORDER BY id LIMIT :limit")
                .bind("after", afterId)
                .bind("limit", limit)
                .map((row, context) -> publisher(row))
                .list());
  }

  private static Publisher publisher(ResultSet row) throws SQLException {
    return new Publisher(
        row.getLong("id"),
        row.getString("topic"),
        row.getString("secret"),
        Rows.instant(row, "created_at"));
  }

  @Override
  public CompletableFuture<Boolean> remove(long id) {
    return database.write(
        (handle, effects) ->
            handle.createUpdate("DELETE FROM publisher WHERE id = :id").bind("id", id).execute()
                == 1);
  }
}
