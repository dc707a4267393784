package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.normalizer.Entry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** The followed feeds and the number of their subscribers, for operators. */
public final class FeedQueries {

  private static final String SUBSCRIBED =
      "(SELECT COUNT(*) FROM subscription WHERE feed_id = f.id)";
  private static final String NAMED = "(SELECT COUNT(*) FROM webhook_topic WHERE feed_id = f.id)";
  private static final String LISTS = "(SELECT COUNT(*) FROM list_member WHERE feed_id = f.id)";
  private static final String LAST_EVENT =
      "(SELECT at FROM event WHERE feed_id = f.id ORDER BY seq DESC LIMIT 1)";

  private static final String COLUMNS =
      "SELECT f.*, %s AS subscribed, %s AS named, %s AS lists, %s AS last_event_at"
          .formatted(SUBSCRIBED, NAMED, LISTS, LAST_EVENT);

  private static final String FOLLOWED = " FROM feed f WHERE f.followed = 1";

  private static final String LIVE =
      " EXISTS (SELECT 1 FROM following WHERE feed_id = f.id AND state IN ('ACTIVE', 'RENEWING')";

  private final Database database;

  public FeedQueries(Database database) {
    this.database = database;
  }

  /**
   * The feeds that match, in an order.
   *
   * @param afterId with {@link Sort#ADDED} the list begins behind this feed; 0 for its beginning
   * @param skip feeds to pass over
   */
  public List<Item> list(Filter filter, Sort sort, long afterId, long skip, int limit) {
    // The order is found from the sorted column; the counts are read for the shown feeds alone.
    String sql =
        COLUMNS
            + " FROM (SELECT f.id, "
            + sort.column
            + " AS sorted"
            + FOLLOWED
            + " AND f.id > :after"
            + conditions(filter)
            + " ORDER BY sorted"
            + sort.direction
            + ", f.id LIMIT :limit OFFSET :skip) shown JOIN feed f ON f.id = shown.id"
            + " ORDER BY shown.sorted"
            + sort.direction
            + ", f.id";
    return database.read(
        handle ->
            bound(handle, sql, filter)
                .bind("after", afterId)
                .bind("skip", skip)
                .bind("limit", limit)
                .map(FeedQueries::item)
                .list());
  }

  /** How many feeds match. */
  public long count(Filter filter) {
    return database.read(
        handle ->
            bound(handle, "SELECT COUNT(*)" + FOLLOWED + conditions(filter), filter)
                .mapTo(Long.class)
                .one());
  }

  private static String conditions(Filter filter) {
    StringBuilder sql = new StringBuilder();
    if (filter.topic() != null) {
      sql.append(" AND f.topic = :topic");
    }
    if (filter.state() != null) {
      sql.append(" AND f.state = :state");
    }
    if (filter.text() != null) {
      sql.append(
          " AND (lower(f.topic) LIKE lower(:text) ESCAPE '!'"
              + " OR lower(f.fetched ->> 'title') LIKE lower(:text) ESCAPE '!')");
    }
    if (filter.live() == Live.POLL) {
      sql.append(" AND NOT").append(LIVE).append(")");
    } else if (filter.live() != null) {
      sql.append(" AND").append(LIVE).append(" AND kind = :live)");
    }
    return sql.toString();
  }

  private static Query bound(Handle handle, String sql, Filter filter) {
    return handle
        .createQuery(sql)
        .configure(SqlStatements.class, config -> config.setUnusedBindingAllowed(true))
        .bind("topic", filter.topic())
        .bind("state", filter.state() == null ? null : filter.state().name())
        .bind("text", Rows.containing(filter.text()))
        .bind("live", filter.live() == null ? null : filter.live().name());
  }

  /** A followed feed by its id; empty if the feed is not followed. */
  public Optional<Item> find(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery(COLUMNS + FOLLOWED + " AND f.id = :id")
                .bind("id", feedId)
                .map(FeedQueries::item)
                .findOne());
  }

  private static Item item(ResultSet row, StatementContext context) throws SQLException {
    long at = row.getLong("last_event_at");
    Instant last = row.wasNull() ? null : Instant.ofEpochMilli(at);
    long named = row.getLong("named");
    return new Item(
        Rows.feed(row, context),
        row.getLong("subscribed") + named,
        named,
        row.getLong("lists"),
        last);
  }

  /**
   * The newest entries of several feeds together, the newest arrival first; entries of which the
   * events have left the log count too.
   *
   * @param scope the feeds to look at
   * @param limit of the entries; {@link Newest#MAX_BYTES} is a limit too
   */
  public List<Recent> recent(Log.Scope scope, int limit) {
    Set<Long> feeds = scope instanceof Log.Scope.Some some ? some.feedIds() : null;
    if (feeds != null && feeds.isEmpty()) {
      return List.of();
    }
    return database.read(
        handle -> {
          Query query = handle.createQuery(recent(feeds != null));
          if (feeds != null) {
            query.bindList("feeds", List.copyOf(feeds));
          }
          return query
              .bind("limit", limit)
              .bind("most", Newest.MAX_BYTES)
              .map(
                  (row, context) ->
                      new Recent(
                          row.getLong("feed_id"),
                          Rows.instant(row, "at"),
                          Json.read(row.getBytes("payload"), Entry.class)))
              .list();
        });
  }

  /**
   * The entries are chosen by an index alone, before a payload is looked at. The sum of the newest
   * entry is its own length, and that entry is read in any case.
   */
  private static String recent(boolean some) {
    return """
        SELECT feed_id, at, payload FROM stored_entry WHERE id IN
          (SELECT id FROM
            (SELECT id, bytes AS own, SUM(bytes) OVER (ORDER BY id DESC) AS total
             FROM stored_entry WHERE id IN
               (SELECT id FROM entry %s ORDER BY id DESC LIMIT :limit)) AS sized
           WHERE total <= :most OR total = own)
        ORDER BY id DESC
        """
        .formatted(some ? "WHERE feed_id IN (<feeds>)" : "");
  }

  /**
   * Records that no operator and no reader of the bridged feed wants a feed any more. A feed that
   * no subscription or webhook wants either is no longer followed.
   */
  public CompletableFuture<Void> release(long feedId, Instant now) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate("UPDATE feed SET kept = 0, bridged_at = NULL WHERE id = :id")
              .bind("id", feedId)
              .execute();
          FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
          forgetCredentials(handle, feedId);
        });
  }

  /** Forgets the credentials of a feed that no one follows; its entries stay private. */
  private static void forgetCredentials(Handle handle, long feedId) {
    handle
        .createUpdate(
            """
            UPDATE private_feed SET credentials = NULL WHERE feed_id = :id
              AND NOT EXISTS (SELECT 1 FROM feed WHERE id = :id AND followed = 1)
            """)
        .bind("id", feedId)
        .execute();
  }

  /**
   * The conditions that a feed must meet; an absent part matches all feeds.
   *
   * @param text a part of the topic or title; the case of ASCII letters makes no difference
   * @param live how the feed is followed at present
   */
  public record Filter(
      @Nullable String text,
      @Nullable FeedState state,
      @Nullable Live live,
      @Nullable String topic) {}

  /** The order of a list; feeds that are equal in it follow by their ids. */
  public enum Sort {
    /** As they were added. */
    ADDED("f.id", ""),
    URL("f.topic", ""),
    /** By title, and by URL where there is none; the case of ASCII letters makes no difference. */
    TITLE("lower(COALESCE(f.fetched ->> 'title', f.topic))", ""),
    /** The most subscribers first. */
    SUBSCRIBERS(SUBSCRIBED + " + " + NAMED, " DESC"),
    /** The newest event first. */
    NEWEST("COALESCE(" + LAST_EVENT + ", 0)", " DESC");

    private final String column;
    private final String direction;

    Sort(String column, String direction) {
      this.column = column;
      this.direction = direction;
    }
  }

  /** How a feed is followed at present. */
  public enum Live {
    WEBSUB,
    RSSCLOUD,
    /** By polling alone. */
    POLL
  }

  /**
   * A feed with its counts.
   *
   * @param subscribers subscriptions, and webhook endpoints that name the feed
   * @param webhooks webhook endpoints that name the feed
   * @param lists lists for which the feed is followed
   * @param lastEventAt when the newest event of the feed that is still in the log was appended
   */
  public record Item(
      FollowedFeed feed,
      long subscribers,
      long webhooks,
      long lists,
      @Nullable Instant lastEventAt) {}

  /**
   * An entry in its newest version.
   *
   * @param at when it arrived
   */
  public record Recent(long feedId, Instant at, Entry entry) {}
}
