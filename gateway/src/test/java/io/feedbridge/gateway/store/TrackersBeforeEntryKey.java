package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Trackers.Catch;
import io.feedbridge.gateway.store.Trackers.Found;
import java.time.Instant;
import java.util.List;

/** A store in which a tracker knew its entries by their raw ids alone. */
public final class TrackersBeforeEntryKey {

  private static final String LONG = "x".repeat(2_000);

  /**
   * Two feeds that both have an entry "1", a tracker that had the entry of the first one, a long id
   * among its entries, and a feed that was left.
   */
  public static final List<String> ROWS =
      List.of(
          feed(1, "https://a.example/", 1),
          feed(2, "https://b.example/", 1),
          feed(3, "https://gateway.example/track?query=mars", 1),
          feed(4, "https://left.example/", 0),
          "INSERT INTO tracker (feed_id, topic, start)"
              + " VALUES (3, 'https://gateway.example/track?query=mars', 0)",
          seen(1, "1"),
          seen(3, "1"),
          seen(3, LONG),
          seen(4, "1"));

  private TrackersBeforeEntryKey() {}

  private static String feed(int id, String topic, int followed) {
    return """
        INSERT INTO feed (id, topic, url, kind, state, followed, head, first_fetch_at, fetched, advertised)
        VALUES (%d, '%s', '%s', 'FEED', 'ACTIVE', %d, 0, 1,
          '{"period":"PT15M","failures":0,"generatedIds":false,"maintenance":{"entriesSince":3}}',
          '{"hubs":[],"clouds":[]}')
        """
        .formatted(id, topic, topic, followed);
  }

  private static String seen(int feed, String id) {
    return "INSERT INTO entry_seen (feed_id, entry_id, fingerprint, seen_at) VALUES (%d, '%s', 'p', 0)"
        .formatted(feed, id);
  }

  /** The tracker is sent no entry again, and the other feed's entry with the id of a known one. */
  public static void areRight(Store store) {
    assertThat(append(store, 1, "1")).isZero();
    assertThat(append(store, 2, "1")).isEqualTo(1);
    assertThat(append(store, 2, LONG)).isEqualTo(1);
    assertThat(append(store, 2, LONG)).isZero();
    assertThat(store.feeds().knows(3, "1")).isTrue();
    assertThat(store.feeds().seen(1, List.of("1"))).hasSize(1);
  }

  private static int append(Store store, long feed, String id) {
    Found found = new Found(new EntryKey(feed, id), OutcomeBuilder.entry(id, "x"));
    return store
        .trackers()
        .append(List.of(new Catch(3, List.of(found), List.of())), 1, Instant.EPOCH)
        .join();
  }
}
