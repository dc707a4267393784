package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The newest events of the gateway itself. */
public final class Notices {

  /** Events that are kept. */
  public static final int MAX = 500;

  private final Database database;

  public Notices(Database database) {
    this.database = database;
  }

  /**
   * An event.
   *
   * @param id grows with each; 0 for one that is not stored yet
   * @param about a URL; empty for none
   */
  public record Stored(long id, Instant at, String type, String about, String text) {}

  /** Adds events, in their order, and lets go of the oldest. */
  public CompletableFuture<Void> add(List<Stored> events) {
    return database.changePatiently(
        (handle, effects) -> {
          for (Stored event : events) {
            handle
                .createUpdate(
                    "INSERT INTO notice (at, type, about, text) VALUES (:at, :type, :about, :text)")
                .bind("at", event.at.toEpochMilli())
                .bind("type", event.type)
                .bind("about", event.about)
                .bind("text", event.text)
                .execute();
          }
          handle
              .createUpdate(
                  """
                  DELETE FROM notice WHERE id <=
                    (SELECT id FROM notice ORDER BY id DESC LIMIT 1 OFFSET :most)
                  """)
              .bind("most", MAX)
              .execute();
        });
  }

  /** The events that are kept, the newest first. */
  public List<Stored> newest() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM notice ORDER BY id DESC")
                .map(
                    (row, context) ->
                        new Stored(
                            row.getLong("id"),
                            Rows.instant(row, "at"),
                            row.getString("type"),
                            row.getString("about"),
                            row.getString("text")))
                .list());
  }

  /** The gateway's own topics that are followed. */
  public List<String> followed() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT topic FROM feed WHERE topic >= :base AND topic < :end AND followed = 1")
                .bind("base", GatewayTopic.BASE)
                // The sign behind the question mark, which may follow the base.
                .bind("end", GatewayTopic.BASE + "@")
                .mapTo(String.class)
                .list());
  }
}
