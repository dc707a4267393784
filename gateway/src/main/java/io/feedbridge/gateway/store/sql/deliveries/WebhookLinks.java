package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.Database;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** The pages that webhooks without repetitions were sent. */
public final class WebhookLinks {

  /** Pages of one webhook that are kept. */
  public static final int MAX_PAGES = 10_000;

  private final Database database;

  WebhookLinks(Database database) {
    this.database = database;
  }

  /** Records that a feed's event brought pages, the ones alone that nothing brought before. */
  public CompletableFuture<Void> add(long webhook, long feedId, long seq, List<String> pages) {
    return database.changePatiently((handle, effects) -> add(handle, webhook, feedId, seq, pages));
  }

  private static void add(Handle handle, long webhook, long feedId, long seq, List<String> pages) {
    handle
        .createUpdate(
            """
            INSERT INTO webhook_link (webhook_id, link, feed_id, seq)
            SELECT w.id, page.value, :feed, :seq
            FROM webhook w CROSS JOIN json_each(:pages) AS page
            WHERE w.id = :webhook
            ON CONFLICT (webhook_id, link) DO NOTHING
            """)
        .bind("webhook", webhook)
        .bind("feed", feedId)
        .bind("seq", seq)
        .bind("pages", Json.text(pages))
        .execute();
    handle
        .createUpdate(
            """
            DELETE FROM webhook_link WHERE webhook_id = :webhook AND seq <=
              (SELECT seq FROM webhook_link WHERE webhook_id = :webhook
               ORDER BY seq DESC LIMIT 1 OFFSET :most)
            """)
        .bind("webhook", webhook)
        .bind("most", MAX_PAGES)
        .execute();
  }

  /** The pages among these that another feed's earlier event has brought. */
  public Set<String> ofOthers(long webhook, long feedId, long seq, Collection<String> pages) {
    return database.read(
        handle ->
            new HashSet<>(
                handle
                    .createQuery(
                        """
                SELECT link FROM webhook_link
                WHERE webhook_id = :webhook AND feed_id <> :feed AND seq < :seq
                  AND link IN (SELECT value FROM json_each(:pages))
                """)
                    .bind("webhook", webhook)
                    .bind("feed", feedId)
                    .bind("seq", seq)
                    .bind("pages", Json.text(pages))
                    .mapTo(String.class)
                    .list()));
  }
}
