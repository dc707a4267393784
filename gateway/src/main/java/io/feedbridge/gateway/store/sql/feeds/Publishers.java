package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.Publisher;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.statement.StatementContext;

/** The publishers that may publish content. */
public final class Publishers {

  private final Database database;

  public Publishers(Database database) {
    this.database = database;
  }

  /** Adds a publisher; a topic may have several. */
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
                .bind("secret", Sealing.of(handle).seal(secret, Sealing.PUBLISHER, topic).text())
                .bind("now", now.toEpochMilli())
                .map((row, context) -> publisher(row, context))
                .one());
  }

  /** The publishers of a topic. */
  public List<Publisher> of(String topic) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM publisher WHERE topic = :topic ORDER BY id")
                .bind("topic", topic)
                .map((row, context) -> publisher(row, context))
                .list());
  }

  /** All publishers in the order of their ids, after the given id. */
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
        Sealing.of(context).open(row.getString("secret"), Sealing.PUBLISHER, topic),
        Rows.instant(row, "created_at"));
  }

  /** Removes a publisher; false if there is none with this id. */
  public CompletableFuture<Boolean> remove(long id) {
    return database.write(
        (handle, effects) ->
            handle.createUpdate("DELETE FROM publisher WHERE id = :id").bind("id", id).execute()
                == 1);
  }
}
