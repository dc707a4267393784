package io.feedbridge.gateway.store;

import static io.feedbridge.gateway.store.log.Log.Scope.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.Trackers.Catch;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A store in which a tracker knew its entries by their raw ids alone, events of trackers held their
 * entries themselves, and feeds that were left kept all they had. Two feeds both have an entry "1";
 * the tracker had the entry of the first one.
 */
public final class OldStore {

  private static final int A = 1;
  private static final int B = 2;
  private static final int TRACKER = 3;
  private static final int LEFT = 4;

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
  private static final String LONG = "x".repeat(2_000);

  private OldStore() {}

  /** Fills tables of the schema before entries had one identity. */
  public static void fill(Handle handle) {
    feed(handle, A, "https://a.example/", 1);
    feed(handle, B, "https://b.example/", 1);
    feed(handle, TRACKER, "https://gateway.example/track?query=mars", 1);
    feed(handle, LEFT, "https://left.example/", 0);
    handle.execute(
        "INSERT INTO tracker (feed_id, topic, start)"
            + " VALUES (3, 'https://gateway.example/track?query=mars', 0)");
    seen(handle, A, "1");
    seen(handle, A, "sha256:" + HexFormat.of().formatHex(EntryKey.sha256(LONG)));
    seen(handle, TRACKER, "1");
    seen(handle, TRACKER, LONG);
    seen(handle, LEFT, "1");
    handle.execute(
        """
        INSERT INTO subscription (feed_id, protocol, callback, terms, raw, start, lease_ends_at,
          created_at)
        VALUES (3, 'WEBSUB', 'https://reader.example/', '{}', 0, 0, ?, 0)
        """,
        NOW.plus(Duration.ofDays(90)).toEpochMilli());
    handle.execute(
        "INSERT INTO event (feed_id, at, via, entries, payload) VALUES (3, ?, 'TRACK', 1, ?)",
        NOW.toEpochMilli(),
        Json.bytes(
            new Update(
                Feed.bare("https://gateway.example/track?query=mars", "Track")
                    .withEntries(List.of(OutcomeBuilder.entry("1", "mars of a"))),
                List.of(),
                Status.of("https://gateway.example/track?query=mars"),
                false)));
    handle.execute("UPDATE feed SET head = (SELECT MAX(seq) FROM event) WHERE id = 3");
    entry(handle, A, "mars of a", null);
    entry(handle, TRACKER, "mars of a", 1L);
    entry(handle, LEFT, "mars of one that was left", null);
    handle.execute("INSERT INTO body (feed_id, bytes) VALUES (4, ?)", new byte[10_000]);
    // The index had read the first entries.
    handle.execute("DELETE FROM search_due");
  }

  private static void feed(Handle handle, int id, String topic, int followed) {
    handle.execute(
        """
        INSERT INTO feed (id, topic, url, kind, state, followed, head, first_fetch_at, fetched,
          advertised)
        VALUES (?, ?, ?, 'FEED', 'ACTIVE', ?, 0, 1,
          '{"period":"PT15M","failures":0,"generatedIds":false,"maintenance":{"entriesSince":3}}',
          '{"hubs":[],"clouds":[]}')
        """,
        id,
        topic,
        topic,
        followed);
    handle.execute(
        "INSERT INTO feed_fields (feed_id, payload) VALUES (?, ?)",
        id,
        Json.bytes(Feed.bare(topic, "Title")));
  }

  private static void seen(Handle handle, int feed, String id) {
    handle.execute(
        "INSERT INTO entry_seen (feed_id, entry_id, fingerprint, seen_at) VALUES (?, ?, 'p', 0)",
        feed,
        id);
  }

  private static void entry(Handle handle, int feed, String text, @Nullable Long seq) {
    handle.execute(
        "INSERT INTO entry (feed_id, entry_key, seq, at, payload) VALUES (?, ?, ?, ?, ?)",
        feed,
        EntryKey.sha256("1"),
        seq,
        NOW.toEpochMilli(),
        Json.bytes(OutcomeBuilder.entry("1", text)));
  }

  /** The store after the upgrade keeps what it owes, sends nothing again, and frees the rest. */
  public static void isRight(Database database) {
    Store store = new Store(database);
    entriesAreKnownByFeedAndId(store);
    eventsAreReadAndDelivered(store);
    eventsLeaveTheLog(store);
    aLeftFeedIsFreedAfterADay(database, store);
  }

  /** The tracker is sent no entry again, and the other feed's entry with the id of a known one. */
  private static void entriesAreKnownByFeedAndId(Store store) {
    assertThat(append(store, A, "1")).isZero();
    assertThat(append(store, B, "1")).isEqualTo(1);
    assertThat(append(store, B, LONG)).isEqualTo(1);
    assertThat(append(store, B, LONG)).isZero();
    assertThat(store.feeds().knows(TRACKER, "1")).isTrue();
    assertThat(store.feeds().seen(A, List.of("1", LONG))).hasSize(2);
  }

  private static int append(Store store, long feed, String id) {
    Found found = new Found(new EntryKey(feed, id), OutcomeBuilder.entry(id, "x"), false);
    return store
        .trackers()
        .append(List.of(new Catch(TRACKER, List.of(found), List.of(), List.of())), 1, NOW)
        .join();
  }

  private static void eventsAreReadAndDelivered(Store store) {
    List<Event> events = store.feeds().events(TRACKER, 0, Long.MAX_VALUE);
    assertThat(events).extracting(Event::via).containsOnly(Via.TRACK);
    assertThat(events.stream().flatMap(OldStore::ids)).containsExactly("1", "1", LONG);
    assertThat(events.get(0).update().feed().entries().get(0).content())
        .asString()
        .contains("mars of a");
    assertThat(store.log().read(0, Long.MAX_VALUE, ALL).events()).isEqualTo(events);
    assertThat(store.feeds().newest(TRACKER, 10).orElseThrow().entries())
        .extracting(arrival -> arrival.entry().id())
        .containsExactly(LONG, "1", "1");

    Rounds rounds = store.rounds();
    assertThat(rounds.due(0, 10)).extracting(Rounds.Due::feedId).containsExactly((long) TRACKER);
    Round round = rounds.open(TRACKER, NOW).join().orElseThrow();
    assertThat(rounds.recipients(TRACKER, 0, Set.of(), 10).recipients()).hasSize(1);
    assertThat(round.to()).isEqualTo(events.get(2).seq());
    rounds.close(round, List.of()).join();
    assertThat(rounds.due(0, 10)).isEmpty();
  }

  private static Stream<String> ids(Event event) {
    return event.update().feed().entries().stream().map(Entry::id);
  }

  private static void eventsLeaveTheLog(Store store) {
    trim(store);
    assertThat(store.log().read(0, Long.MAX_VALUE, ALL).events()).isEmpty();
    assertThat(store.feeds().newest(TRACKER, 10).orElseThrow().entries()).hasSize(3);
  }

  private static void trim(Store store) {
    Instant later = NOW.plus(Duration.ofDays(8));
    while (store.log().trim(later, 100, 1 << 20, later).join().more()) {
      // There is more.
    }
  }

  private static void aLeftFeedIsFreedAfterADay(Database database, Store store) {
    // The tracker is left as well.
    database
        .write(
            0,
            (handle, effects) -> {
              handle.execute("DELETE FROM subscription");
              return handle.execute("UPDATE feed SET followed = 0 WHERE id = 3");
            })
        .join();
    Instant later = NOW.plus(Duration.ofDays(1));
    store.feeds().freeLeft(NOW.minus(Duration.ofDays(1)), NOW, 100).join();
    store.feeds().freeLeft(later.minus(Duration.ofDays(1)).minusMillis(1), later, 100).join();
    assertThat(rows(database, "body")).containsExactly(LEFT);
    assertThat(rows(database, "entry")).contains(TRACKER, LEFT);

    store.feeds().freeLeft(NOW, later, 100).join();
    trim(store);

    for (String table : List.of("entry", "entry_seen", "feed_fields")) {
      assertThat(rows(database, table)).as(table).contains(A).doesNotContain(TRACKER, LEFT);
    }
    assertThat(rows(database, "body")).isEmpty();
    assertThat(store.figures().sharedEntries()).isZero();
    assertThat(store.feeds().byId(LEFT).orElseThrow().firstFetchAt()).isNull();
  }

  private static List<Integer> rows(Database database, String table) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT feed_id FROM " + table + " ORDER BY feed_id")
                .mapTo(Integer.class)
                .list());
  }
}
