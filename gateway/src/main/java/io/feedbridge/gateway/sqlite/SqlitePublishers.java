package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Publisher;
import io.feedbridge.gateway.store.Publishers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.statement.StatementContext;

/** The publishers in SQLite. */
final class SqlitePublishers implements Publishers {

  /** Of the secrets. */
  static final String KIND = "publisher";

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
                .bind("secret", Sealing.of(handle).seal(secret, KIND, topic))
                .bind("now", now.toEpochMilli())
                .map((row, context) -> publisher(row, context))
                .one());
  }

  @Override
  public List<Publisher> of(String topic) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM publisher WHERE topic = :topic ORDER BY id")
                .bind("topic", topic)
                .map((row, context) -> publisher(row, context))
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
                .map((row, context) -> publisher(row, context))
                .list());
  }

  private static Publisher publisher(ResultSet row, StatementContext context) throws SQLException {
    String topic = row.getString("topic");
    return new Publisher(
        row.getLong("id"),
        topic,
        Sealing.of(context).open(row.getString("secret"), KIND, topic),
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
