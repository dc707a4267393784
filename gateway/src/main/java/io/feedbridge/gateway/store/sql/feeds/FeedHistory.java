package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FeedStep;
import io.feedbridge.gateway.store.feeds.FeedStep.Kind;
import io.feedbridge.gateway.store.feeds.FeedStep.Result;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.work.Via;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * The history of each feed. The transaction that ends a piece of work writes its step, so that a
 * step costs no commit of its own. No delivery depends on the history.
 */
public final class FeedHistory {

  /** Steps of all feeds that are kept; the oldest are dropped. */
  public static final int MAX_STEPS = 131_072;

  /** Bytes of one step, since its texts are cut; all steps have at most 256 MiB. */
  public static final int MAX_STEP_BYTES = 2_048;

  /** Steps of one feed that are kept, give or take a few; the oldest are dropped. */
  public static final int MAX_OF_FEED = 1_000;

  /** Arrivals of a step that are kept one by one; the others are only counted. */
  public static final int MAX_ARRIVALS = 3;

  /** Characters of a step's message. */
  public static final int MAX_MESSAGE = 100;

  /** Characters of the sender of an arrival. */
  public static final int MAX_SENDER = 100;

  /** Equal polls are one step for no longer than this. */
  private static final Duration ONE_STEP = Duration.ofDays(1);

  /** Steps between two removals of the steps above the bounds. */
  private static final int TRIM_EVERY = 64;

  public static final String OF_FEED =
      "SELECT * FROM feed_step WHERE feed_id = :feed AND id < :before ORDER BY id DESC LIMIT :limit";

  public static final String OF_EVENT =
      """
      SELECT * FROM feed_step WHERE feed_id = :feed AND last_seq >= :seq
      ORDER BY last_seq LIMIT 1
      """;

  private static final String REPEAT =
      """
      UPDATE feed_step SET last_at = :at, times = times + 1, reports = reports + :reports,
        code = :code, message = :message
      WHERE id = (SELECT MAX(id) FROM feed_step WHERE feed_id = :feed)
        AND kind = :kind AND outcome = :outcome AND via = :via AND state = :state AND at >= :since
      """;

  private final Database database;

  public FeedHistory(Database database) {
    this.database = database;
  }

  /** A step before it has an id. */
  private record Draft(
      long feedId,
      Kind kind,
      Result outcome,
      Via via,
      Instant at,
      @Nullable Integer code,
      @Nullable String message,
      FeedState state,
      FeedState before,
      Arrivals arrivals,
      int fresh,
      int changed,
      List<Long> appended) {

    /** Equal steps of this kind that follow each other are one. */
    boolean mayRepeat() {
      boolean quietPoll = outcome == Result.UNCHANGED && via == Via.POLL;
      return state == before && (quietPoll || outcome == Result.PUT_OFF);
    }

    <S extends SqlStatement<S>> S bindTo(S statement) {
      return statement
          .bind("feed", feedId)
          .bind("kind", kind.name())
          .bind("outcome", outcome.name())
          .bind("via", via.name())
          .bind("at", at.toEpochMilli())
          .bind("code", code)
          .bind("message", Arrivals.cut(message, MAX_MESSAGE))
          .bind("state", state.name())
          .bind("reports", arrivals.count());
    }

    void addTo(PreparedBatch batch) {
      boolean none = appended.isEmpty();
      bindTo(batch)
          .bind("before", before == state ? null : before.name())
          .bind("fresh", fresh)
          .bind("changed", changed)
          .bind("first", none ? null : appended.get(0))
          .bind("last", none ? null : appended.get(appended.size() - 1))
          .bind("arrivals", arrivals.json())
          .add();
    }
  }

  /** The steps of outcomes, within the transaction that records them. */
  static void record(Handle handle, List<Step> steps) {
    write(handle, steps.stream().map(FeedHistory::draft).toList());
  }

  private static Draft draft(Step step) {
    Outcome outcome = step.outcome();
    FollowedFeed feed = outcome.feed();
    boolean fetched = outcome.at().equals(feed.fetched().lastFetch());
    Kind kind = fetched ? Kind.FETCH : step.arrivals().content() ? Kind.PUSH : Kind.NONE;
    boolean isNews = outcome.updates().stream().anyMatch(update -> !update.isStatusAlone());
    Result result;
    if (isNews) {
      result = Result.NEWS;
    } else if (!feed.followed() && !fetched) {
      result = Result.NOT_FOLLOWED;
    } else if (fetched && feed.state() == FeedState.GONE) {
      result = Result.GONE;
    } else {
      result = fetched && feed.fetched().failures() > 0 ? Result.FAILED : Result.UNCHANGED;
    }
    return new Draft(
        feed.id(),
        result == Result.NOT_FOLLOWED ? Kind.NONE : kind,
        result,
        outcome.via(),
        outcome.at(),
        fetched ? feed.fetched().code() : null,
        kind == Kind.NONE ? null : feed.fetched().message(),
        feed.state(),
        step.before().state(),
        step.arrivals(),
        outcome.updates().stream().mapToInt(one -> one.feed().entries().size()).sum(),
        outcome.updates().stream().mapToInt(one -> one.changed().size()).sum(),
        step.appended());
  }

  /**
   * The steps of work that is done later, within the transaction that removes it.
   *
   * @param arrivals by feed
   * @param reasons of some of the feeds
   */
  static void putOff(Handle handle, Map<Long, Arrivals> arrivals, Map<Long, String> reasons) {
    later(handle, arrivals, reasons, Result.PUT_OFF);
  }

  /** The step of work that cannot be done; the feed's row is not changed yet. */
  static void abandoned(Handle handle, Arrivals arrivals, long feedId, String reason) {
    later(handle, Map.of(feedId, arrivals), Map.of(feedId, reason), Result.GIVEN_UP);
  }

  private static void later(
      Handle handle, Map<Long, Arrivals> arrivals, Map<Long, String> reasons, Result result) {
    Map<Long, FeedState> states =
        handle
            .createQuery(
                """
                SELECT id, state FROM feed
                WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))
                """)
            .bind("feeds", Json.text(arrivals.keySet()))
            .map(
                (row, context) ->
                    Map.entry(row.getLong("id"), FeedState.valueOf(row.getString("state"))))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    List<Draft> drafts = new ArrayList<>();
    states.forEach(
        (feed, before) -> {
          Arrivals arrived = Objects.requireNonNull(arrivals.get(feed));
          if (arrived.count() > 0) {
            drafts.add(later(feed, before, arrived, result, reasons.get(feed)));
          }
        });
    write(handle, drafts);
  }

  private static Draft later(
      long feedId, FeedState before, Arrivals arrivals, Result result, @Nullable String reason) {
    Via via =
        arrivals.first().stream()
            .map(FeedStep.Arrival::via)
            .filter(Via::isPing)
            .findFirst()
            .orElse(Via.POLL);
    return new Draft(
        feedId,
        Kind.NONE,
        result,
        via,
        arrivals.newest(),
        null,
        reason,
        result == Result.GIVEN_UP ? FeedState.ERROR : before,
        before,
        arrivals,
        0,
        0,
        List.of());
  }

  private static void write(Handle handle, List<Draft> drafts) {
    List<Draft> fresh = notRepeating(handle, drafts);
    if (fresh.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            INSERT INTO feed_step (feed_id, kind, outcome, via, at, last_at, times, code,
              message, state, state_before, fresh, changed, first_seq, last_seq, reports,
              arrivals)
            VALUES (:feed, :kind, :outcome, :via, :at, :at, 1, :code, :message, :state,
              :before, :fresh, :changed, :first, :last, :reports, :arrivals)
            """);
    fresh.forEach(draft -> draft.addTo(batch));
    batch.execute();
    // The one writer gives ids one after the other.
    long newest = handle.createQuery("SELECT MAX(id) FROM feed_step").mapTo(Long.class).one();
    for (int i = 0; i < fresh.size(); i++) {
      long id = newest - fresh.size() + 1 + i;
      if (id % TRIM_EVERY == 0) {
        keepBounds(handle, fresh.get(i).feedId, id);
      }
    }
  }

  /** Counts each step that only repeats the one before; returns the others. */
  private static List<Draft> notRepeating(Handle handle, List<Draft> drafts) {
    List<Draft> may = drafts.stream().filter(Draft::mayRepeat).toList();
    if (may.isEmpty()) {
      return drafts;
    }
    PreparedBatch batch = handle.prepareBatch(REPEAT);
    for (Draft draft : may) {
      draft.bindTo(batch).bind("since", draft.at.minus(ONE_STEP).toEpochMilli()).add();
    }
    int[] counted = batch.execute();
    List<Draft> others = new ArrayList<>(drafts);
    for (int i = 0; i < counted.length; i++) {
      if (counted[i] > 0) {
        others.remove(may.get(i));
      }
    }
    return others;
  }

  private static void keepBounds(Handle handle, long feedId, long newest) {
    handle
        .createUpdate("DELETE FROM feed_step WHERE id <= :upTo")
        .bind("upTo", newest - MAX_STEPS)
        .execute();
    handle
        .createUpdate(
            """
            DELETE FROM feed_step WHERE feed_id = :feed AND id <=
              (SELECT id FROM feed_step WHERE feed_id = :feed ORDER BY id DESC LIMIT 1 OFFSET :max)
            """)
        .bind("feed", feedId)
        .bind("max", MAX_OF_FEED)
        .execute();
  }

  /**
   * The steps of a feed, the newest first.
   *
   * @param before only steps with a lower id; {@link Long#MAX_VALUE} for all
   */
  public List<FeedStep> of(long feedId, long before, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(OF_FEED)
                .bind("feed", feedId)
                .bind("before", before)
                .bind("limit", limit)
                .map((row, context) -> step(row))
                .list());
  }

  /** The step that appended an event, as long as the history has it. */
  public Optional<FeedStep> ofEvent(long feedId, long seq) {
    return database.read(
        handle ->
            handle
                .createQuery(OF_EVENT)
                .bind("feed", feedId)
                .bind("seq", seq)
                .map((row, context) -> step(row))
                .findOne()
                .filter(step -> step.firstSeq() != null && step.firstSeq() <= seq));
  }

  /**
   * Forgets steps that ended before a time, the oldest first.
   *
   * @param limit of the steps that are looked at
   * @return how many were forgotten
   */
  public CompletableFuture<Integer> trim(Instant before, int limit) {
    return database.write(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    DELETE FROM feed_step WHERE id IN (SELECT id FROM
                      (SELECT id, last_at FROM feed_step ORDER BY id LIMIT :limit) AS oldest
                      WHERE last_at < :before)
                    """)
                .bind("before", before.toEpochMilli())
                .bind("limit", limit)
                .execute());
  }

  private static FeedStep step(ResultSet row) throws SQLException {
    String stateBefore = row.getString("state_before");
    return new FeedStep(
        row.getLong("id"),
        Kind.valueOf(row.getString("kind")),
        Result.valueOf(row.getString("outcome")),
        Via.valueOf(row.getString("via")),
        Rows.instant(row, "at"),
        Rows.instant(row, "last_at"),
        row.getLong("times"),
        Rows.longOrNull(row, "code"),
        row.getString("message"),
        FeedState.valueOf(row.getString("state")),
        stateBefore == null ? null : FeedState.valueOf(stateBefore),
        row.getInt("fresh"),
        row.getInt("changed"),
        Rows.longOrNull(row, "first_seq"),
        Rows.longOrNull(row, "last_seq"),
        row.getLong("reports"),
        Json.read(row.getString("arrivals"), Arrivals.Stored.class).items());
  }
}
