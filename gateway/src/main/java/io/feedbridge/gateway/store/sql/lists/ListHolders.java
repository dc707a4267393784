package io.feedbridge.gateway.store.sql.lists;

import io.feedbridge.gateway.store.Json;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/** The lists that get the entries of a feed. */
public final class ListHolders {

  private ListHolders() {}

  /** A list that has a feed; the feed's events behind {@code start} are the list's. */
  public record Holder(long listId, long start) {}

  /**
   * The lists that have some feeds, by the feeds' ids. A list has the feeds that it names, and the
   * feeds that the lists name which it includes.
   */
  public static Map<Long, List<Holder>> of(Handle handle, Collection<Long> feedIds) {
    Map<Long, Map<Long, Long>> starts = new HashMap<>();
    handle
        .createQuery(
            """
            WITH named AS (
              SELECT feed_id, list_id, start FROM list_member
              WHERE included = 0 AND wanted = 1
                AND feed_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)))
            SELECT feed_id, list_id, start FROM named
            UNION ALL
            SELECT n.feed_id, p.list_id, MAX(n.start, p.start) AS start
            FROM named n JOIN list_member p ON p.feed_id = n.list_id
            WHERE p.included = 1 AND p.wanted = 1
            """)
        .bind("ids", Json.text(feedIds))
        .map(
            (row, context) ->
                Map.entry(
                    row.getLong("feed_id"),
                    new Holder(row.getLong("list_id"), row.getLong("start"))))
        .forEach(
            one ->
                starts
                    .computeIfAbsent(one.getKey(), feed -> new TreeMap<>())
                    .merge(one.getValue().listId, one.getValue().start, Math::min));
    Map<Long, List<Holder>> holders = new HashMap<>();
    starts.forEach(
        (feed, lists) ->
            holders.put(
                feed,
                lists.entrySet().stream()
                    .map(one -> new Holder(one.getKey(), one.getValue()))
                    .toList()));
    return holders;
  }
}
