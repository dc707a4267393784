package io.feedbridge.gateway.log;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of events that followers of the log were brought and have not taken: of all, of each
 * caller, and of followers that are behind. The last leave a part to followers at the log's end.
 * Not thread-safe.
 */
final class UnreadBytes {

  /** Bytes of all readers that are behind. */
  static final long MAX_BEHIND = 32L << 20;

  /** Bytes of the readers of one caller. */
  static final long MAX_OF_ONE = 8L << 20;

  /** Bytes of one caller's readers that are behind. */
  static final long MAX_BEHIND_OF_ONE = 4L << 20;

  /** How long a batch may be untaken while other readers wait for its room. */
  static final Duration PATIENCE = Duration.ofMillis(500);

  private final Map<LogFollower, Batch> batches = new LinkedHashMap<>();
  private final Map<String, Load> byCaller = new HashMap<>();
  private final Load all = new Load();

  private static final class Batch {
    private final long bytes;
    private final boolean atEnd;
    private final Instant since;

    Batch(long bytes, boolean atEnd, Instant since) {
      this.bytes = bytes;
      this.atEnd = atEnd;
      this.since = since;
    }
  }

  private static final class Load {
    private long bytes;
    private long behind;

    void add(Batch batch, int sign) {
      bytes += sign * batch.bytes;
      behind += batch.atEnd ? 0 : sign * batch.bytes;
    }
  }

  /**
   * Whether a follower may be brought more.
   *
   * @param caller the caller that reads; null for a durable consumer, which only the bound on all
   *     limits
   * @param atEnd whether it is near the end of the log
   */
  boolean fits(@Nullable String caller, boolean atEnd) {
    return fitsInAll(caller, atEnd) && fitsItsCaller(caller, atEnd);
  }

  private boolean fitsInAll(@Nullable String caller, boolean atEnd) {
    return all.bytes < LogFollowers.MAX_BYTES
        && (caller == null || atEnd || all.behind < MAX_BEHIND);
  }

  private boolean fitsItsCaller(@Nullable String caller, boolean atEnd) {
    Load load = caller == null ? null : byCaller.get(caller);
    return load == null || (load.bytes < MAX_OF_ONE && (atEnd || load.behind < MAX_BEHIND_OF_ONE));
  }

  void entered(LogFollower follower, long bytes, boolean atEnd, Instant now) {
    Batch batch = new Batch(bytes, atEnd, now);
    batches.put(follower, batch);
    all.add(batch, 1);
    String caller = follower.caller();
    if (caller != null) {
      byCaller.computeIfAbsent(caller, any -> new Load()).add(batch, 1);
    }
  }

  void left(LogFollower follower) {
    Batch batch = batches.remove(follower);
    if (batch == null) {
      return;
    }
    all.add(batch, -1);
    String caller = follower.caller();
    if (caller != null) {
      byCaller.computeIfPresent(
          caller,
          (any, load) -> {
            load.add(batch, -1);
            return load.bytes == 0 ? null : load;
          });
    }
  }

  long bytesOf(@Nullable String caller) {
    Load load = caller == null ? null : byCaller.get(caller);
    return load == null ? 0 : load.bytes;
  }

  long bytes() {
    return all.bytes;
  }

  /**
   * The reader to let go for one that does not fit: of its own caller, or, where there is no room
   * in all, of the caller with the most unread bytes. Of these it is the reader that has left its
   * batch untaken for longest. A reader that is behind never displaces another one of its own
   * caller. Durable consumers are not let go.
   */
  Optional<LogFollower> inTheWayOf(@Nullable String caller, boolean atEnd) {
    if (!fitsInAll(caller, atEnd)) {
      Optional<String> biggest =
          byCaller.entrySet().stream()
              .max((one, other) -> Long.compare(one.getValue().bytes, other.getValue().bytes))
              .map(Map.Entry::getKey);
      return biggest.flatMap(of -> oldest(follower -> of.equals(follower.caller())));
    }
    return caller == null || !atEnd
        ? Optional.empty()
        : oldest(follower -> caller.equals(follower.caller()));
  }

  private Optional<LogFollower> oldest(Predicate<LogFollower> of) {
    return batches.keySet().stream().filter(of).findFirst();
  }

  /** When a reader that stands in the way has had its time. */
  Instant patientUntil(LogFollower follower) {
    Batch batch = batches.get(follower);
    return batch == null ? Instant.MAX : batch.since.plus(PATIENCE);
  }
}
