package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.PageUrl;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** Each feed's newest entries: one row per entry, written where the events are appended. */
final class SqlEntries {

  /** A change of a feed's content is in a later second than the change before. */
  private static final String KEEP_FIELDS =
      """
      INSERT INTO feed_fields (feed_id, payload, changed_at) VALUES (:feed, :payload, :second)
      ON CONFLICT (feed_id) DO UPDATE SET payload = excluded.payload,
        changed_at = CASE WHEN feed_fields.changed_at >= :second
          THEN feed_fields.changed_at + 1000 ELSE :second END
      """;

  private SqlEntries() {}

  /**
   * An entry to store.
   *
   * @param key the hash of its {@link EntryKey}
   * @param seq the event of the entry
   * @param shared where the payload lies if it is shared; {@code payload} is empty then
   */
  // Arrivals are never compared.
  @SuppressWarnings("ArrayRecordComponent")
  record Arrival(byte[] key, byte[] payload, @Nullable Long seq, @Nullable Long shared) {}

  /**
   * The fields that a feed has beside its entries.
   *
   * @param payload null if it has none
   * @param page its own page, if it names one
   */
  // Compared by its parts alone.
  @SuppressWarnings("ArrayRecordComponent")
  record Fields(byte @Nullable [] payload, @Nullable String page) {}

  /**
   * Entries of a feed to store in the place of older versions.
   *
   * @param arrivals the oldest first
   */
  record Arrived(long feedId, List<Arrival> arrivals, Instant at) {
    Arrived {
      arrivals =
          List.copyOf(
              arrivals.subList(Math.max(0, arrivals.size() - Newest.KEPT), arrivals.size()));
    }
  }

  /**
   * Stores the entries of outcomes, and removes entries past the bounds of {@link Newest} and the
   * ones that their feed has removed.
   */
  static void keep(Handle handle, List<Step> steps) {
    keepFields(handle, steps);
    List<Arrived> arrived = new ArrayList<>();
    for (Step step : steps) {
      long feedId = step.outcome().feed().id();
      for (Update update : step.outcome().updates()) {
        drop(
            handle,
            feedId,
            update.feed().removals().stream()
                .map(removal -> new EntryKey(feedId, removal.id()).hash())
                .toList());
      }
      arrived.add(new Arrived(feedId, arrivals(handle, step), step.outcome().at()));
    }
    keepNewest(handle, arrived);
  }

  private static void keepFields(Handle handle, List<Step> steps) {
    PreparedBatch batch = handle.prepareBatch(KEEP_FIELDS);
    for (Step step : steps) {
      Outcome outcome = step.outcome();
      Fields before = step.before().fields();
      boolean changed =
          outcome.body() != null
              || outcome.updates().stream().anyMatch(update -> !update.isStatusAlone());
      byte[] fields = before.payload;
      if (outcome.document() != null) {
        fields = Json.bytes(outcome.document().withEntries(List.of()));
        String page = PageUrl.of(outcome.document().permalink()).orElse(null);
        if (!Objects.equals(page, before.page)) {
          keepPage(handle, outcome.feed().id(), page);
        }
      }
      if (fields != null && (changed || !Arrays.equals(fields, before.payload))) {
        batch
            .bind("feed", outcome.feed().id())
            .bind("payload", fields)
            .bind("second", outcome.at().truncatedTo(ChronoUnit.SECONDS).toEpochMilli())
            .add();
      }
    }
    if (batch.size() > 0) {
      batch.execute();
    }
  }

  /** Notes a change of a feed's content, in a later second than the change before. */
  static void changed(Handle handle, long feedId, Instant at) {
    handle
        .createUpdate(
            """
            UPDATE feed_fields SET changed_at = CASE
              WHEN changed_at >= :second THEN changed_at + 1000 ELSE :second END
            WHERE feed_id = :feed
            """)
        .bind("second", at.truncatedTo(ChronoUnit.SECONDS).toEpochMilli())
        .bind("feed", feedId)
        .execute();
  }

  /** When a feed's content changed last. */
  static Optional<Instant> changedAt(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT changed_at FROM feed_fields WHERE feed_id = :feed")
        .bind("feed", feedId)
        .map((row, context) -> Optional.ofNullable(Rows.instantOrNull(row, "changed_at")))
        .findOne()
        .flatMap(at -> at);
  }

  /** Stores entries of feeds, as far as they are among the newest. */
  static void keepNewest(Handle handle, List<Arrived> all) {
    List<Arrived> arrived = all.stream().filter(one -> !one.arrivals.isEmpty()).toList();
    if (arrived.isEmpty()) {
      return;
    }
    replace(handle, arrived);
    for (Arrived one : arrived) {
      one.arrivals.stream()
          .filter(arrival -> arrival.shared != null)
          .forEach(arrival -> SqlShared.newest(handle, one.feedId, arrival));
    }
    PreparedBatch trim =
        handle.prepareBatch(
            """
            DELETE FROM entry WHERE feed_id = :feed AND id <=
              (SELECT id FROM entry WHERE feed_id = :feed ORDER BY id DESC LIMIT 1 OFFSET :kept)
            """);
    arrived.forEach(one -> trim.bind("feed", one.feedId).bind("kept", Newest.KEPT).add());
    trim.execute();
  }

  /** An entry moves to the end of its feed, so that its older version is no update. */
  private static void replace(Handle handle, List<Arrived> arrived) {
    PreparedBatch drop =
        handle.prepareBatch("DELETE FROM entry WHERE feed_id = :feed AND entry_key = :key");
    PreparedBatch insert =
        handle.prepareBatch(
            """
            INSERT INTO entry (feed_id, entry_key, seq, at, payload)
            VALUES (:feed, :key, :seq, :at, :payload)
            """);
    for (Arrived one : arrived) {
      for (Arrival arrival : one.arrivals) {
        drop.bind("feed", one.feedId).bind("key", arrival.key).add();
        insert
            .bind("feed", one.feedId)
            .bind("key", arrival.key)
            .bind("seq", arrival.seq)
            .bind("at", one.at.toEpochMilli())
            .bind("payload", arrival.payload)
            .add();
      }
    }
    drop.execute();
    insert.execute();
  }

  private static void keepPage(Handle handle, long feedId, @Nullable String page) {
    if (page == null) {
      handle
          .createUpdate("DELETE FROM feed_page WHERE feed_id = :feed")
          .bind("feed", feedId)
          .execute();
      return;
    }
    handle
        .createUpdate(
            """
            INSERT INTO feed_page (feed_id, page) VALUES (:feed, :page)
            ON CONFLICT (feed_id) DO UPDATE SET page = excluded.page
            """)
        .bind("feed", feedId)
        .bind("page", page)
        .execute();
  }

  /** The entries of an outcome, the oldest first; documents list their newest entry first. */
  private static List<Arrival> arrivals(Handle handle, Step step) {
    Outcome outcome = step.outcome();
    List<Long> appended = step.appended();
    long feedId = outcome.feed().id();
    List<Arrival> arrivals = new ArrayList<>();
    if (outcome.document() != null && !outcome.document().entries().isEmpty()) {
      add(arrivals, feedId, outcome.document().entries(), null);
      Set<ByteBuffer> there = payloads(handle, feedId);
      // An entry of a baseline that is already stored unchanged keeps its position.
      arrivals.removeIf(arrival -> there.contains(ByteBuffer.wrap(arrival.payload)));
    }
    for (int i = 0; i < appended.size(); i++) {
      Update update = outcome.updates().get(i);
      add(arrivals, feedId, update.changed(), appended.get(i));
      add(arrivals, feedId, update.feed().entries(), appended.get(i));
    }
    return arrivals;
  }

  private static void add(
      List<Arrival> arrivals, long feedId, List<Entry> newestFirst, @Nullable Long seq) {
    for (int i = newestFirst.size() - 1; i >= 0; i--) {
      Entry entry = newestFirst.get(i);
      arrivals.add(
          new Arrival(new EntryKey(feedId, entry.id()).hash(), Json.bytes(entry), seq, null));
    }
  }

  /** An entry's payload has its id in it. */
  private static Set<ByteBuffer> payloads(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT payload FROM stored_entry WHERE feed_id = :feed")
        .bind("feed", feedId)
        .map((row, context) -> ByteBuffer.wrap(row.getBytes("payload")))
        .set();
  }

  /** The index has all keys of a feed side by side. */
  static int drop(Handle handle, long feedId, List<byte[]> keys) {
    if (keys.isEmpty()) {
      return 0;
    }
    return handle
        .createUpdate("DELETE FROM entry WHERE feed_id = :feed AND entry_key IN (<keys>)")
        .bind("feed", feedId)
        .bindList("keys", keys)
        .execute();
  }

  /** The newest entries of a feed. */
  static Optional<Newest> newest(Handle handle, long feedId, int limit) {
    Optional<Feed> fields =
        handle
            .createQuery("SELECT payload FROM feed_fields WHERE feed_id = :feed")
            .bind("feed", feedId)
            .map((row, context) -> Json.read(row.getBytes("payload"), Feed.class))
            .findOne();
    return fields.map(feed -> new Newest(feed, entries(handle, feedId, limit)));
  }

  /** Bytes of the newest entries of a feed. */
  static long length(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT COALESCE(SUM(bytes), 0) FROM stored_entry WHERE feed_id = :feed")
        .bind("feed", feedId)
        .mapTo(Long.class)
        .one();
  }

  /** The sum of the newest entry is its own length, and that entry is read in any case. */
  private static List<Newest.Arrival> entries(Handle handle, long feedId, int limit) {
    return handle
        .createQuery(
            """
            SELECT seq, at, payload FROM stored_entry
            WHERE feed_id = :feed AND id IN
              (SELECT id FROM
                (SELECT id, bytes AS own, SUM(bytes) OVER (ORDER BY id DESC) AS sum
                 FROM stored_entry WHERE feed_id = :feed) AS sums
               WHERE sum <= :most OR sum = own)
            ORDER BY id DESC LIMIT :limit
            """)
        .bind("feed", feedId)
        .bind("most", Newest.MAX_BYTES)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new Newest.Arrival(
                    Rows.longOrNull(row, "seq"),
                    Rows.instant(row, "at"),
                    Json.read(row.getBytes("payload"), Entry.class)))
        .list();
  }
}
