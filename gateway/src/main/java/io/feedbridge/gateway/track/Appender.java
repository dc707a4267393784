package io.feedbridge.gateway.track;

import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.TrackedItem;
import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.TrackedItem.Removed;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sql.feeds.Trackers.Catch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends entries to trackers in short transactions, between which other writes go. An entry that
 * the store refuses is passed over, so that no entry stops the trackers. For one thread.
 */
final class Appender {

  /** Entries that one transaction appends, each to one tracker. */
  static final int CHUNK = 200;

  /** Bytes of the entries of one transaction; a single entry may be longer. */
  static final long CHUNK_BYTES = 256 << 10;

  /** A position that is never ahead of the stored one. */
  private static final long UNMOVED = 0;

  private static final Logger log = LoggerFactory.getLogger(Appender.class);

  private final Trackers trackers;
  private final Meters meters;

  Appender(Trackers trackers, Meters meters) {
    this.trackers = trackers;
    this.meters = meters;
  }

  /**
   * News for one tracker.
   *
   * @param fresh whether an entry is new in its own feed; otherwise it has changed there
   */
  record Piece(long trackerId, TrackedItem item, boolean fresh) {

    /** A removal tells of its feed in few bytes. */
    private static final int REMOVAL_BYTES = 1_000;

    private int bytes() {
      return item instanceof Found found ? found.payload().length : REMOVAL_BYTES;
    }
  }

  /**
   * Appends entries, each tracker's in order. The position moves with the last transaction: the
   * store leaves out the entries that are repeated after a crash.
   *
   * @param pieces at least one
   * @param to the position from now on
   */
  void append(List<Piece> pieces, long to, Instant now) {
    int from = 0;
    while (from < pieces.size()) {
      int end = end(pieces, from);
      write(pieces.subList(from, end), end == pieces.size() ? to : UNMOVED, now);
      from = end;
    }
  }

  private static int end(List<Piece> pieces, int from) {
    Set<TrackedItem> stored = new HashSet<>();
    long bytes = 0;
    int end = from;
    while (end < pieces.size() && end - from < CHUNK) {
      Piece piece = pieces.get(end);
      // An entry is stored once for all trackers.
      bytes += stored.add(piece.item) ? piece.bytes() : 0;
      if (end > from && bytes > CHUNK_BYTES) {
        break;
      }
      end++;
    }
    return end;
  }

  private void write(List<Piece> chunk, long position, Instant now) {
    try {
      trackers.append(catches(chunk), position, now).join();
    } catch (CompletionException refused) {
      // A failure of the store itself ends this step, and the pump repeats the step.
      trackers.append(List.of(), UNMOVED, now).join();
      if (chunk.size() > 1) {
        int half = chunk.size() / 2;
        write(chunk.subList(0, half), UNMOVED, now);
        write(chunk.subList(half, chunk.size()), position, now);
      } else {
        passOver(chunk.get(0).item.key().feedId(), refused);
        trackers.append(List.of(), position, now).join();
      }
    }
  }

  /** Tells of an entry that no tracker gets. */
  void passOver(long feedId, Throwable why) {
    meters.trackerEntryPassedOver();
    log.atWarn()
        .addKeyValue("feed", feedId)
        .addKeyValue("reason", String.valueOf(why))
        .log("An entry was passed over for trackers: it cannot be matched or stored");
  }

  private static List<Catch> catches(List<Piece> chunk) {
    Map<Long, List<Piece>> byTracker = new LinkedHashMap<>();
    for (Piece piece : chunk) {
      byTracker.computeIfAbsent(piece.trackerId, any -> new ArrayList<>(1)).add(piece);
    }
    return byTracker.entrySet().stream()
        .map(
            one ->
                new Catch(
                    one.getKey(),
                    items(Found.class, one.getValue().stream().filter(Piece::fresh)),
                    items(Found.class, one.getValue().stream().filter(piece -> !piece.fresh)),
                    items(Removed.class, one.getValue().stream())))
        .toList();
  }

  private static <T extends TrackedItem> List<T> items(Class<T> kind, Stream<Piece> pieces) {
    return pieces.map(Piece::item).filter(kind::isInstance).map(kind::cast).toList();
  }
}
