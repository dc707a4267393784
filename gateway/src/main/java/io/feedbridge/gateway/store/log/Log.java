package io.feedbridge.gateway.store.log;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The event log as a whole: the events of all feeds in one order. */
public interface Log {

  /** Where it begins and ends. */
  Extent extent();

  /**
   * The position before the first event that was appended at a time or later: the end of the log
   * where there is none, and its start where older events are gone. Exact to the few seconds by
   * which the times of two events may differ from their order.
   */
  long positionAt(Instant since);

  /**
   * Reads the events appended after a position, in order and as many as one {@link Document} holds
   * (an event without entries counts as one entry), but at least one event where there is any. The
   * read stops below the lowest number that is not yet committed, so that a reader that continues
   * from {@link Page#to} misses no event (rule L9). The read looks at a bounded number of events: a
   * page may be empty although later events exist.
   *
   * @param after the position to continue from; a position past the end reads nothing until the end
   *     has passed it
   * @param upTo the last event to read; {@link Long#MAX_VALUE} for no bound
   * @param scope the feeds whose events are wanted; events of other feeds are skipped
   */
  Page read(long after, long upTo, Scope scope);

  /**
   * The newest events before a number, the newest first: as many as one {@link Document} holds, but
   * at least one where there is any. A damaged event is left out.
   *
   * @param feedId the feed whose events are wanted; null for the events of all feeds
   * @param before {@link Long#MAX_VALUE} for the end of the log
   */
  List<Event> newest(@Nullable Long feedId, long before, int max);

  /** The events of these numbers that the log has, in order, as many as one document holds. */
  List<Event> some(Set<Long> seqs);

  /**
   * Removes a batch of the oldest events, as far as they are older than a time. Events that a round
   * has not covered, or that a delivery in flight may need, stay until the round or the delivery
   * has ended. Other laggards that miss a removed event jump to the present, and the gap is
   * recorded (rule L13).
   *
   * @param maxEvents of one batch, and of the laggards that jump in it
   * @param maxBytes of one batch as stored; a single event may be longer
   */
  CompletableFuture<Trimmed> trim(Instant before, int maxEvents, long maxBytes, Instant now);

  /**
   * Gives a part of the disk space of removed events back.
   *
   * @param kept bytes that stay for the events to come
   * @param most bytes to give back at once
   * @return bytes that were given back; 0 where there is nothing to give back, or where the store
   *     cannot
   */
  CompletableFuture<Long> giveBack(long kept, long most);

  /** The feeds whose events a reader wants. */
  sealed interface Scope {
    /** Everyone's. */
    Scope ALL = new All();

    /** The events of all feeds, including feeds that are followed later. */
    record All() implements Scope {}

    /** The events of some feeds. */
    record Some(Set<Long> feedIds) implements Scope {
      public Some {
        feedIds = Set.copyOf(feedIds);
      }
    }
  }

  /**
   * How far the log reaches.
   *
   * @param start the newest number that was removed; 0 where none was
   * @param head the newest number, 0 where there was none
   * @param oldest when the oldest event after {@code start} was appended; absent where there is
   *     none
   */
  record Extent(long start, long head, @Nullable Instant oldest) {
    /** How many events there are, at most: numbers may be missing. */
    public long events() {
      return head - start;
    }
  }

  /**
   * The result of one read.
   *
   * @param after the position at which the read began: the requested position, unless that is older
   *     than the log or the next event is damaged. Then it is the start of the log, or the damaged
   *     event, and the events between the two positions are lost to the reader
   * @param to the position to continue from; past the last event where events of other feeds follow
   *     it
   * @param bytes the stored size of the events
   * @param more whether the read ended before the end of the log, or before the position asked for
   */
  record Page(long after, List<Event> events, long to, long bytes, boolean more) {
    public Page {
      events = List.copyOf(events);
    }

    /** One that ends with the log. */
    public Page(long after, List<Event> events, long to, long bytes) {
      this(after, events, to, bytes, false);
    }
  }

  /**
   * The result of one batch of a removal.
   *
   * @param events removed
   * @param laggards that jumped
   * @param more whether there may be more to remove
   */
  record Trimmed(int events, int laggards, boolean more) {}
}
