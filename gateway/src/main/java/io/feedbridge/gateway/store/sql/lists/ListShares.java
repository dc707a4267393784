package io.feedbridge.gateway.store.sql.lists;

import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The feeds that are followed for lists, and the share of each subscriber in them. */
public final class ListShares {

  /** Why a feed is not followed beyond {@link ListedFeeds#MAX_OF_ALL}. */
  public static final String TOO_MANY =
      "the gateway follows %,d feeds of lists, and no more".formatted(ListedFeeds.MAX_OF_ALL);

  /** Why a feed is not followed beyond {@link ListedFeeds#MAX_OF_ONE}. */
  public static final String TOO_MANY_OF_ONE =
      "the gateway follows %,d feeds for the lists of one subscriber, and no more"
          .formatted(ListedFeeds.MAX_OF_ONE);

  /** Of {@link ListedFeeds#MAX_OF_ALL}, feeds that only lists of the operator may take. */
  public static final int OF_OPERATOR = 20_000;

  /** The operator or the login that follows list %1$s; absent where only strangers do. */
  private static final String LOGIN =
      """
      (CASE
        WHEN EXISTS (SELECT 1 FROM webhook_topic w WHERE w.feed_id = %1$s)
          OR EXISTS (SELECT 1 FROM feed k WHERE k.id = %1$s AND k.kept = 1) THEN :operator
        ELSE (SELECT s.owner FROM subscription s
              WHERE s.feed_id = %1$s AND s.owner IS NOT NULL ORDER BY s.id LIMIT 1)
        END)
      """;

  /** The callback's host, without the port, of the first subscriber of list %1$s. */
  private static final String STRANGER =
      """
      (SELECT RTRIM(RTRIM(s.host, '0123456789'), ':') FROM subscription s
       WHERE s.feed_id = %1$s ORDER BY s.id LIMIT 1)
      """;

  private static final String INCLUDING =
      """
      (SELECT %s FROM list_member i WHERE i.feed_id = %%1$s AND i.included = 1 AND i.wanted = 1
       ORDER BY i.list_id LIMIT 1)
      """;

  /** A login comes before strangers, also where it follows a list that includes list %1$s. */
  private static final String PAYER =
      "COALESCE(%s, %s, %s, %s, 'bridged')"
          .formatted(
              LOGIN,
              INCLUDING.formatted(LOGIN.formatted("i.list_id")),
              STRANGER,
              INCLUDING.formatted(STRANGER.formatted("i.list_id")));

  private ListShares() {}

  /** Has feeds considered anew that were refused for want of room, now that there is some. */
  public static void reconsider(Handle handle) {
    for (String sql :
        List.of(
            """
            UPDATE feed_list SET revision = revision + 1 WHERE feed_id IN
              (SELECT list_id FROM list_member WHERE refused IN (:all, :one))
            """,
            "UPDATE list_member SET refused = NULL WHERE refused IN (:all, :one)")) {
      handle.createUpdate(sql).bind("all", TOO_MANY).bind("one", TOO_MANY_OF_ONE).execute();
    }
  }

  /**
   * The feeds that may begin for a list.
   *
   * @param bound why further ones may not
   */
  public record Room(long feeds, String bound) {}

  /** The feeds that may begin for a list within all bounds. */
  public static Room room(Handle handle, long listId) {
    long ofOne = ofPayer(handle, listId);
    int reserved = ofOne > ListedFeeds.MAX_OF_ONE ? 0 : OF_OPERATOR;
    long ofAll = ListedFeeds.MAX_OF_ALL - reserved - held(handle);
    return ofOne < ofAll ? new Room(ofOne, TOO_MANY_OF_ONE) : new Room(ofAll, TOO_MANY);
  }

  /** The feeds that are followed for lists, each counted for each list. */
  public static long held(Handle handle) {
    return handle
        .createQuery("SELECT COUNT(*) FROM list_member WHERE feed_id IS NOT NULL")
        .mapTo(Long.class)
        .one();
  }

  /** How many more feeds may begin for the lists of the subscriber that a list is put down to. */
  private static long ofPayer(Handle handle, long listId) {
    String payer =
        handle
            .createQuery("SELECT " + PAYER.formatted(":id"))
            .bind("id", listId)
            .bind("operator", Sponsor.OPERATOR)
            .mapTo(String.class)
            .one();
    if (payer.equals(Sponsor.OPERATOR)) {
      return ListedFeeds.MAX_OF_ALL;
    }
    long held =
        handle
            .createQuery(
                """
                SELECT COALESCE(SUM(held), 0) FROM (
                  SELECT list_id, COUNT(*) AS held FROM list_member
                  WHERE feed_id IS NOT NULL GROUP BY list_id) AS h
                WHERE %s = :payer
                """
                    .formatted(PAYER.formatted("h.list_id")))
            .bind("operator", Sponsor.OPERATOR)
            .bind("payer", payer)
            .mapTo(Long.class)
            .one();
    return ListedFeeds.MAX_OF_ONE - held;
  }
}
