package io.feedbridge.gateway.store.sql.feeds;

import static io.feedbridge.gateway.store.sql.database.Rows.instantOrNull;
import static io.feedbridge.gateway.store.sql.database.Rows.millis;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.lists.ListRows;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The transaction that records the outcomes of pieces of work (rule L1). */
final class SqlRecording {

  /** Outcomes are recorded together; each gives the numbers of its events. */
  static final Database.Joint<Outcome, List<Long>> OUTCOME = SqlRecording::record;

  private static final String APPEND =
      """
      INSERT INTO event (feed_id, at, via, entries, payload)
      VALUES (:feed, :at, :via, :entries, :payload)
      """;

  /** The transport is selected anew after the first fetch, and when hubs or clouds changed. */
  private static final String UPDATE =
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
      """;

  private SqlRecording() {}

  private static List<List<Long>> record(
      Handle handle, Set<Effect> effects, List<Outcome> outcomes) {
    List<List<Long>> appended = new ArrayList<>();
    Map<Long, Outcome> together = new LinkedHashMap<>();
    for (Outcome outcome : outcomes) {
      // A second outcome of a feed relies on the first.
      if (together.containsKey(outcome.feed().id())) {
        appended.addAll(recordTogether(handle, effects, List.copyOf(together.values())));
        together.clear();
      }
      together.put(outcome.feed().id(), outcome);
    }
    appended.addAll(recordTogether(handle, effects, List.copyOf(together.values())));
    return appended;
  }

  private static List<List<Long>> recordTogether(
      Handle handle, Set<Effect> effects, List<Outcome> outcomes) {
    Map<Long, Arrivals> arrivals =
        SqlWork.done(handle, outcomes.stream().map(Outcome::position).toList());
    Map<Long, Step.Before> before = before(handle, outcomes);
    SqlSeen.remember(handle, outcomes);
    List<List<Long>> appended = append(handle, outcomes);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      long feedId = outcomes.get(i).feed().id();
      steps.add(
          new Step(
              outcomes.get(i),
              Objects.requireNonNull(arrivals.get(outcomes.get(i).position().feedId())),
              Objects.requireNonNull(before.get(feedId), "the feed is in the store"),
              appended.get(i)));
    }
    SqlEntries.keep(handle, steps);
    keepBytes(handle, steps);
    FeedHistory.record(handle, steps);
    if (Pushes.arrived(handle, steps)) {
      effects.add(Effect.FOLLOWING);
    }
    PreparedBatch feeds = handle.prepareBatch(UPDATE);
    for (Step step : steps) {
      if (step.before().isHeld()) {
        SqlFeeds.held(handle, step.outcome().feed().id());
      }
      Denials.begin(handle, step.outcome().feed(), step.before().state());
      // The result of a fetch that began before the feed was followed again does not count for the
      // new subscribers.
      if (step.outcome().feed().followed() || !step.before().followed()) {
        update(handle, effects, feeds, step);
      }
      if (!step.appended().isEmpty()) {
        effects.add(Effect.APPENDED);
      }
    }
    if (feeds.size() > 0) {
      feeds.execute();
    }
    effects.add(Effect.FETCHED);
    return appended;
  }

  private static void keepBytes(Handle handle, List<Step> steps) {
    for (Step step : steps) {
      Body body = step.outcome().body();
      long feedId = step.outcome().feed().id();
      if (body != null && step.before().keepsBytes(step.outcome())) {
        SqlBodies.keep(handle, feedId, body);
      } else if (body != null && step.before().hasBody()) {
        SqlBodies.drop(handle, feedId);
      }
    }
  }

  private static void update(Handle handle, Set<Effect> effects, PreparedBatch feeds, Step step) {
    Outcome outcome = step.outcome();
    String advertised = Json.text(outcome.feed().advertised());
    boolean lacksBytes = step.before().lacksBytes(outcome);
    add(feeds, step, advertised, lacksBytes);
    if (lacksBytes) {
      effects.add(Effect.FETCH_DUE);
    }
    // A cloud that moved with its site notifies of the new URL alone.
    if (!step.before().url().equals(outcome.feed().url())
        && SqlUpstreamSubscriptions.renewAtClouds(handle, outcome.feed().id(), outcome.at())) {
      effects.add(Effect.FOLLOWING);
    }
    if (outcome.listed() != null) {
      ListRows.want(handle, effects, outcome.feed().id(), outcome.listed());
    }
    step.before().tell(outcome.feed(), advertised, effects);
  }

  private static Map<Long, Step.Before> before(Handle handle, List<Outcome> outcomes) {
    Map<Long, Step.Before> before = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT id, url, state, followed, tried, first_fetch_at, next_fetch_at, fetched, advertised,
              body_until, EXISTS (SELECT 1 FROM body WHERE feed_id = feed.id) AS has_body,
              EXISTS (SELECT 1 FROM held_back WHERE feed_id = feed.id) AS is_held,
              (SELECT payload FROM feed_fields WHERE feed_id = feed.id) AS fields,
              (SELECT page FROM feed_page WHERE feed_id = feed.id) AS page,
              EXISTS (SELECT 1 FROM subscription WHERE feed_id = feed.id AND raw = 1) AS has_raw
            FROM feed WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
            """)
        .bind("ids", Json.text(outcomes.stream().map(outcome -> outcome.feed().id()).toList()))
        .map(
            (row, context) ->
                Map.entry(
                    row.getLong("id"),
                    new Step.Before(
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
                        row.getLong("body_until"))))
        .forEach(feed -> before.put(feed.getKey(), feed.getValue()));
    return before;
  }

  /** Appends the events of outcomes; returns their numbers. */
  private static List<List<Long>> append(Handle handle, List<Outcome> outcomes) {
    PreparedBatch batch = handle.prepareBatch(APPEND);
    for (Outcome outcome : outcomes) {
      for (Update update : outcome.updates()) {
        int entries =
            update.feed().entries().size()
                + update.feed().removals().size()
                + update.changed().size();
        batch
            .bind("feed", outcome.feed().id())
            .bind("at", outcome.at().toEpochMilli())
            .bind("via", outcome.via().name())
            .bind("entries", entries)
            .bind("payload", Json.bytes(update))
            .add();
      }
    }
    Iterator<Long> numbers = execute(handle, batch).iterator();
    return outcomes.stream()
        .map(outcome -> outcome.updates().stream().map(update -> numbers.next()).toList())
        .toList();
  }

  /** The one writer numbers events in their order. */
  private static List<Long> execute(Handle handle, PreparedBatch batch) {
    if (batch.size() == 0) {
      return List.of();
    }
    int events = batch.size();
    batch.execute();
    List<Long> newestFirst =
        handle
            .createQuery("SELECT seq FROM event ORDER BY seq DESC LIMIT :events")
            .bind("events", events)
            .mapTo(Long.class)
            .list();
    return newestFirst.stream().sorted().toList();
  }

  /** Appends an event; returns its number. */
  static long append(Handle handle, long feedId, Instant at, Via via, int entries, Update update) {
    return handle
        .createQuery(APPEND + " RETURNING seq")
        .bind("feed", feedId)
        .bind("at", at.toEpochMilli())
        .bind("via", via.name())
        .bind("entries", entries)
        .bind("payload", Json.bytes(update))
        .mapTo(Long.class)
        .one();
  }

  /**
   * Adds the feed's row.
   *
   * @param lacksBytes whether the feed is to be fetched at once without validators
   */
  private static void add(PreparedBatch batch, Step step, String advertised, boolean lacksBytes) {
    FollowedFeed feed = step.outcome().feed();
    List<Long> appended = step.appended();
    Validators validators = lacksBytes ? Validators.NONE : feed.validators();
    batch
        .bind("id", feed.id())
        .bind("url", feed.url())
        .bind("kind", feed.kind().name())
        .bind("state", feed.state().name())
        .bind("head", appended.isEmpty() ? 0 : appended.get(appended.size() - 1))
        .bind("first", millis(feed.firstFetchAt()))
        .bind("next", millis(lacksBytes ? step.outcome().at() : feed.nextFetchAt()))
        .bind("retry", feed.retryVia() == null ? null : feed.retryVia().name())
        .bind("fetched", Json.text(feed.fetched()))
        .bind("etag", validators.etag())
        .bind("modified", validators.lastModified())
        .bind("hash", validators.bodyHash())
        .bind("validated", validators.url())
        .bind("advertised", advertised)
        .bind("pace", Json.text(feed.pace()))
        .add();
  }
}
