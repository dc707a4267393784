package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FeedStep;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.work.Via;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The arrivals of the work of an assignment, as its step in the history has them.
 *
 * @param count of all
 * @param content whether one of them brought content along
 * @param newest when the newest arrived; the epoch if there is none
 * @param first the first ones
 */
record Arrivals(long count, boolean content, Instant newest, List<FeedStep.Arrival> first) {

  /** Control characters, and halves of characters that a cut leaves. */
  private static final Pattern UNFIT = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");

  /** One item of the work. */
  record Item(long id, boolean content, FeedStep.Arrival arrival) {

    static Item of(ResultSet row) throws SQLException {
      return new Item(
          row.getLong("id"),
          row.getString("kind").equals("FAT"),
          new FeedStep.Arrival(
              via(row.getString("via")),
              Rows.instant(row, "received_at"),
              row.getString("sender")));
    }
  }

  /** How the first ones are stored. */
  record Stored(List<FeedStep.Arrival> items) {}

  /** The arrivals of items, which may come in any order. */
  static final class Collected {
    private long count;
    private boolean content;
    private Instant newest = Instant.EPOCH;
    private final NavigableMap<Long, FeedStep.Arrival> first = new TreeMap<>();

    void add(Item item) {
      count++;
      content |= item.content;
      newest = item.arrival.at().isAfter(newest) ? item.arrival.at() : newest;
      first.put(item.id, item.arrival);
      if (first.size() > FeedHistory.MAX_ARRIVALS) {
        first.pollLastEntry();
      }
    }

    Arrivals end() {
      return new Arrivals(count, content, newest, List.copyOf(first.values()));
    }
  }

  /** A damaged item counts as a ping, as when it is handed out. */
  private static Via via(String name) {
    for (Via via : Via.values()) {
      if (via.name().equals(name)) {
        return via;
      }
    }
    return Via.PING;
  }

  String json() {
    return Json.text(new Stored(first));
  }

  /** The sender of an item as it is stored. */
  static @Nullable String cut(@Nullable String sender) {
    return cut(sender, FeedHistory.MAX_SENDER);
  }

  /** A text in one line, of at most so many characters. */
  static @Nullable String cut(@Nullable String text, int max) {
    if (text == null) {
      return null;
    }
    String kept = text.length() <= max ? text : text.substring(0, max - 1) + "…";
    return UNFIT.matcher(kept).replaceAll(" ");
  }
}
