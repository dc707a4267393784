package io.feedbridge.gateway.store.sql.feeds;

import static io.feedbridge.gateway.store.sql.database.Rows.instantOrNull;
import static io.feedbridge.gateway.store.sql.database.Rows.millis;

import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The transaction that records the outcome of a piece of work (rule L1). */
final class SqlRecording {

  private SqlRecording() {}

  static List<Long> record(Handle handle, Set<Effect> effects, Outcome outcome) {
    Arrivals arrivals = SqlWork.done(handle, outcome.position());
    long feedId = outcome.feed().id();
    Before before = before(handle, feedId);
    if (before.isHeld) {
      SqlFeeds.held(handle, feedId);
    }
    SqlSeen.remember(handle, feedId, outcome.seen(), outcome.at());
    if (outcome.stale() != null) {
      SqlSeen.forget(handle, feedId, outcome.stale());
    }
    List<Long> appended = append(handle, outcome);
    SqlEntries.keep(handle, outcome, appended, before.fields);
    boolean lacksBytes = before.lacksBytes(outcome);
    if (outcome.body() != null) {
      if (before.keepsBytes(outcome)) {
        SqlBodies.keep(handle, feedId, outcome.body());
      } else if (before.hasBody) {
        SqlBodies.drop(handle, feedId);
      }
    }
    SqlFeedHistory.record(handle, arrivals, outcome, before.state, appended);
    SqlDenials.begin(handle, outcome.feed(), before.state);
    if (SqlUpstreams.arrived(handle, outcome, before::lastFetch)) {
      effects.add(Effect.FOLLOWING);
    }
    // The result of a fetch that began before the feed was followed again does not count for the
    // new subscribers.
    if (outcome.feed().followed() || !before.followed) {
      String advertised = Json.text(outcome.feed().advertised());
      update(handle, outcome, advertised, appended, lacksBytes);
      if (lacksBytes) {
        effects.add(Effect.FETCH_DUE);
      }
      // A cloud that moved with its site notifies of the new URL alone.
      if (!before.url.equals(outcome.feed().url())
          && SqlUpstreamSubscriptions.renewAtClouds(handle, feedId, outcome.at())) {
        effects.add(Effect.FOLLOWING);
      }
      before.tell(outcome.feed(), advertised, effects);
    }
    effects.add(Effect.FETCHED);
    if (!appended.isEmpty()) {
      effects.add(Effect.APPENDED);
    }
    return appended;
  }

  /** The feed as it was, read at once: each write that changes nothing is left out. */
  private record Before(
      String url,
      FeedState state,
      boolean followed,
      boolean tried,
      @Nullable Instant firstFetchAt,
      @Nullable Instant nextFetchAt,
      String fetched,
      String advertised,
      SqlEntries.Fields fields,
      boolean isHeld,
      boolean hasBody,
      boolean hasRaw,
      long bodyUntil) {

    /**
     * Whether bytes that have a reader are not kept, and would not be sent again: they were asked
     * for while this outcome was under way.
     */
    boolean lacksBytes(Outcome outcome) {
      return !hasBody
          && outcome.body() == null
          && isRead(outcome.at())
          && firstFetchAt != null
          && outcome.feed().kind() == FeedKind.FEED
          && outcome.feed().state() != FeedState.GONE
          && outcome.feed().validators().bodyHash() != null;
    }

    /**
     * Whether the bytes of an outcome have a reader: the bytes of a topic that is no feed, and of a
     * first fetch, always may have one.
     */
    boolean keepsBytes(Outcome outcome) {
      return isRead(outcome.at())
          || firstFetchAt == null
          || outcome.feed().kind() != FeedKind.FEED
          || outcome.feed().fetched().partial() != null;
    }

    /** Whether a subscriber gets the bytes, or a reader of the bridged feed may. */
    private boolean isRead(Instant at) {
      return hasRaw || bodyUntil > at.toEpochMilli();
    }

    @Nullable Instant lastFetch() {
      return Json.read(fetched, FollowedFeed.Fetched.class).lastFetch();
    }

    /**
     * Adds the effects of a change. Effects without due work are left out, because each effect
     * makes a listener query the store after the commit.
     */
    void tell(FollowedFeed after, String advertisedNow, Set<Effect> effects) {
      boolean hasBaseline = firstFetchAt != null;
      boolean isFirst = hasBaseline != after.hasBaseline();
      if (!Objects.equals(nextFetchAt, after.nextFetchAt())) {
        effects.add(Effect.FETCH_DUE);
      }
      if (isFirst || !advertised.equals(advertisedNow)) {
        effects.add(Effect.FOLLOWING);
      }
      if (isFirst || !tried || state != after.state()) {
        effects.add(Effect.VERIFICATION);
      }
    }
  }

  private static Before before(Handle handle, long feedId) {
    return handle
        .createQuery(
            """
            SELECT url, state, followed, tried, first_fetch_at, next_fetch_at, fetched, advertised,
              body_until, EXISTS (SELECT 1 FROM body WHERE feed_id = :id) AS has_body,
              EXISTS (SELECT 1 FROM held_back WHERE feed_id = :id) AS is_held,
              (SELECT payload FROM feed_fields WHERE feed_id = :id) AS fields,
              (SELECT page FROM feed_page WHERE feed_id = :id) AS page,
              EXISTS (SELECT 1 FROM subscription WHERE feed_id = :id AND raw = 1) AS has_raw
            FROM feed WHERE id = :id
            """)
        .bind("id", feedId)
        .map(
            (row, context) ->
                new Before(
                    row.getString("url"),
                    FeedState.valueOf(row.getString("state")),
                    row.getBoolean("followed"),
                    row.getBoolean("tried"),
                    instantOrNull(row, "first_fetch_at"),
                    instantOrNull(row, "next_fetch_at"),
                    row.getString("fetched"),
                    row.getString("advertised"),
                    new SqlEntries.Fields(row.getBytes("fields"), row.getString("page")),
                    row.getBoolean("is_held"),
                    row.getBoolean("has_body"),
                    row.getBoolean("has_raw"),
                    row.getLong("body_until")))
        .one();
  }

  private static List<Long> append(Handle handle, Outcome outcome) {
    List<Long> appended = new ArrayList<>();
    for (Update update : outcome.updates()) {
      int entries =
          update.feed().entries().size()
              + update.feed().removals().size()
              + update.changed().size();
      appended.add(
          append(handle, outcome.feed().id(), outcome.at(), outcome.via(), entries, update));
    }
    return appended;
  }

  /** Appends an event; returns its number. */
  static long append(Handle handle, long feedId, Instant at, Via via, int entries, Update update) {
    return handle
        .createQuery(
            """
            INSERT INTO event (feed_id, at, via, entries, payload)
            VALUES (:feed, :at, :via, :entries, :payload)
            RETURNING seq
            """)
        .bind("feed", feedId)
        .bind("at", at.toEpochMilli())
        .bind("via", via.name())
        .bind("entries", entries)
        .bind("payload", Json.bytes(update))
        .mapTo(Long.class)
        .one();
  }

  /**
   * Writes the feed's row.
   *
   * @param lacksBytes whether the feed is to be fetched at once without validators
   */
  private static void update(
      Handle handle, Outcome outcome, String advertised, List<Long> appended, boolean lacksBytes) {
    FollowedFeed feed = outcome.feed();
    Validators validators = lacksBytes ? Validators.NONE : feed.validators();
    // The transport is selected anew after the first fetch and whenever the advertised hubs and
    // clouds changed.
    handle
        .createUpdate(
            """
            UPDATE feed SET
              revision = revision + CASE
                WHEN advertised <> :advertised
                  OR (first_fetch_at IS NULL) <> (:first IS NULL) THEN 1 ELSE 0 END,
              url = :url, kind = :kind, state = :state, tried = 1,
              head = MAX(head, :head), first_fetch_at = :first,
              next_fetch_at = CASE WHEN followed = 1 THEN :next END,
              retry_via = :retry, fetched = :fetched, etag = :etag,
              last_modified = :modified, body_hash = :hash, validated_url = :validated,
              advertised = :advertised, pace = :pace
            WHERE id = :id
            """)
        .bind("id", feed.id())
        .bind("url", feed.url())
        .bind("kind", feed.kind().name())
        .bind("state", feed.state().name())
        .bind("head", appended.isEmpty() ? 0 : appended.get(appended.size() - 1))
        .bind("first", millis(feed.firstFetchAt()))
        .bind("next", millis(lacksBytes ? outcome.at() : feed.nextFetchAt()))
        .bind("retry", feed.retryVia() == null ? null : feed.retryVia().name())
        .bind("fetched", Json.text(feed.fetched()))
        .bind("etag", validators.etag())
        .bind("modified", validators.lastModified())
        .bind("hash", validators.bodyHash())
        .bind("validated", validators.url())
        .bind("advertised", advertised)
        .bind("pace", Json.text(feed.pace()))
        .execute();
  }
}
