package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.FeedHistory;
import io.feedbridge.gateway.store.FeedStep;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The arrivals of the work of an assignment, as its step in the history has them.
 *
 * @param count of all
 * @param content whether one of them brought content along
 * @param newest when the newest arrived; the epoch if there is none
 * @param first the first ones
 */
record Arrivals(long count, boolean content, Instant newest, List<FeedStep.Arrival> first) {

  /** Control characters, and halves of characters that a cut leaves. */
  private static final Pattern UNFIT = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");

  static final String FIRST =
      """
      SELECT via, received_at, sender FROM work WHERE feed_id = :feed AND id <= :upTo
      ORDER BY id LIMIT :limit
      """;

  static final String COUNT =
      """
      SELECT COUNT(*) AS items, COALESCE(MAX(received_at), 0) AS newest,
        COALESCE(SUM(CASE WHEN kind = 'FAT' THEN 1 ELSE 0 END), 0) AS fat
      FROM work WHERE feed_id = :feed AND id <= :upTo
      """;

  /** How the first ones are stored. */
  record Stored(List<FeedStep.Arrival> items) {}

  static Arrivals of(Handle handle, Position position) {
    List<FeedStep.Arrival> first =
        handle
            .createQuery(FIRST)
            .bind("feed", position.feedId())
            .bind("upTo", position.upTo())
            .bind("limit", FeedHistory.MAX_ARRIVALS)
            .map(
                (row, context) ->
                    new FeedStep.Arrival(
                        via(row.getString("via")),
                        Instant.ofEpochMilli(row.getLong("received_at")),
                        row.getString("sender")))
            .list();
    return handle
        .createQuery(COUNT)
        .bind("feed", position.feedId())
        .bind("upTo", position.upTo())
        .map(
            (row, context) ->
                new Arrivals(
                    row.getLong("items"),
                    row.getLong("fat") > 0,
                    Instant.ofEpochMilli(row.getLong("newest")),
                    first))
        .one();
  }

  /** A damaged item counts as a ping, as when it is handed out. */
  private static Via via(String name) {
    for (Via via : Via.values()) {
      if (via.name().equals(name)) {
        return via;
      }
    }
    return Via.PING;
  }

  String json() {
    return Json.text(new Stored(first));
  }

  /** The sender of an item as it is stored. */
  static @Nullable String cut(@Nullable String sender) {
    return cut(sender, FeedHistory.MAX_SENDER);
  }

  /** A text in one line, of at most so many characters. */
  static @Nullable String cut(@Nullable String text, int max) {
    if (text == null) {
      return null;
    }
    String kept = text.length() <= max ? text : text.substring(0, max - 1) + "…";
    return UNFIT.matcher(kept).replaceAll(" ");
  }
}
