package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.work.Via;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** From rows to values. */
public final class Rows {

  /** The columns that make a {@link Subscription}. */
  public static final String SUBSCRIPTION =
      "s.id, s.feed_id, s.protocol, s.callback, s.terms, s.start, s.lease_ends_at, s.errors, s.readers,"
          + " (SELECT topic FROM feed WHERE feed.id = s.feed_id) AS topic";

  /** The kind of owner of an upstream subscription's secret. */
  public static final String FOLLOWING = "following";

  /** A laggard {@code l} that misses an event. */
  public static final String LAGS = "l.state IN ('BEHIND', 'FIXED', 'IN_FLIGHT')";

  private Rows() {}

  public static FollowedFeed feed(ResultSet row, StatementContext context) throws SQLException {
    FeedParts parts = FeedParts.of(context);
    return new FollowedFeed(
        row.getLong("id"),
        row.getString("topic"),
        row.getString("url"),
        FeedKind.valueOf(row.getString("kind")),
        FeedState.valueOf(row.getString("state")),
        row.getBoolean("followed"),
        row.getBoolean("tried"),
        row.getLong("head"),
        instantOrNull(row, "first_fetch_at"),
        instantOrNull(row, "next_fetch_at"),
        viaOrNull(row.getString("retry_via")),
        parts.read(row.getString("fetched"), FollowedFeed.Fetched.class),
        new Validators(
            row.getString("etag"),
            row.getString("last_modified"),
            row.getString("body_hash"),
            row.getString("validated_url")),
        parts.read(row.getString("advertised"), Advertised.class),
        parts.read(row.getString("pace"), PollPace.class),
        namedHub(row));
  }

  private static @Nullable NamedHub namedHub(ResultSet row) throws SQLException {
    String hub = row.getString("named_hub");
    return hub == null ? null : new NamedHub(hub, row.getString("named_topic"));
  }

  /** An event of {@code stored_event}, with its entries. */
  public static Event event(ResultSet row, StatementContext context) throws SQLException {
    Update update = Json.read(row.getBytes("payload"), Update.class);
    String shared = row.getString("shared");
    if (shared != null) {
      update = Json.read(shared, SharedEntries.class).in(update, context.getConnection());
    }
    return new Event(
        row.getLong("seq"),
        row.getLong("feed_id"),
        instant(row, "at"),
        Via.valueOf(row.getString("via")),
        update);
  }

  public static Subscription subscription(ResultSet row, StatementContext context)
      throws SQLException {
    String topic = row.getString("topic");
    String callback = row.getString("callback");
    return new Subscription(
        row.getLong("id"),
        row.getLong("feed_id"),
        topic,
        Protocol.valueOf(row.getString("protocol")),
        callback,
        Sealing.of(context).openTerms(row.getString("terms"), topic, callback),
        row.getLong("start"),
        instant(row, "lease_ends_at"),
        row.getInt("errors"),
        row.getInt("readers"));
  }

  public static Verification verification(ResultSet row, StatementContext context)
      throws SQLException {
    String topic = row.getString("topic");
    String callback = row.getString("callback");
    Sealing sealing = Sealing.of(context);
    return new Verification(
        row.getLong("id"),
        longOrNull(row, "feed_id"),
        topic,
        callback,
        Verification.Mode.valueOf(row.getString("mode")),
        sealing.openTerms(row.getString("terms"), topic, callback),
        sealing.openToken(row.getString("verify_token"), topic, callback),
        instant(row, "requested_at"),
        row.getInt("attempts"),
        instant(row, "next_attempt_at"),
        row.getString("reason"),
        row.getBoolean("vouched"));
  }

  public static UpstreamSubscription following(ResultSet row, StatementContext context)
      throws SQLException {
    String token = row.getString("token");
    String sealed = row.getString("secret");
    return new UpstreamSubscription(
        row.getLong("id"),
        row.getLong("feed_id"),
        UpstreamSubscription.Kind.valueOf(row.getString("kind")),
        row.getString("endpoint"),
        row.getString("topic"),
        token,
        sealed == null ? null : Sealing.of(context).open(sealed, FOLLOWING, token),
        UpstreamSubscription.State.valueOf(row.getString("state")),
        instantOrNull(row, "lease_ends_at"),
        instant(row, "next_action_at"),
        row.getInt("attempts"),
        row.getString("reason"),
        Json.read(row.getString("trust"), Trust.class));
  }

  public static Laggard laggard(ResultSet row) throws SQLException {
    return new Laggard(
        row.getLong("subscription_id"),
        row.getLong("feed_id"),
        row.getString("host"),
        row.getLong("cursor"),
        Laggard.State.valueOf(row.getString("state")),
        row.getLong("document_end"),
        row.getInt("attempts"),
        instant(row, "next_attempt_at"),
        row.getString("error"),
        instantOrNull(row, "digest_at"));
  }

  public static Gap gap(ResultSet row) throws SQLException {
    return new Gap(
        row.getLong("subscription_id"),
        row.getLong("feed_id"),
        row.getLong("from_seq"),
        row.getLong("to_seq"),
        row.getLong("events"),
        instant(row, "at"),
        Gap.Reason.valueOf(row.getString("reason")));
  }

  public static Round round(ResultSet row) throws SQLException {
    return new Round(
        row.getLong("feed_id"),
        row.getLong("from_seq"),
        row.getLong("to_seq"),
        row.getLong("checkpoint"),
        Json.readNumbers(row.getString("passed")));
  }

  public static LogConsumer consumer(ResultSet row) throws SQLException {
    return new LogConsumer(
        row.getLong("id"),
        row.getString("name"),
        row.getLong("cursor"),
        longOrNull(row, "sent_to"),
        row.getInt("attempts"),
        instant(row, "next_attempt_at"),
        row.getString("error"));
  }

  /** The pattern of LIKE with {@code ESCAPE '!'} for texts that contain this one; null for null. */
  public static @Nullable String containing(@Nullable String text) {
    return text == null
        ? null
        : "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%";
  }

  public static Instant instant(ResultSet row, String column) throws SQLException {
    return Instant.ofEpochMilli(row.getLong(column));
  }

  public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
    Long millis = longOrNull(row, column);
    return millis == null ? null : Instant.ofEpochMilli(millis);
  }

  public static @Nullable Long millis(@Nullable Instant instant) {
    return instant == null ? null : instant.toEpochMilli();
  }

  public static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  private static @Nullable Via viaOrNull(@Nullable String name) {
    return name == null ? null : Via.valueOf(name);
  }
}
