package io.feedbridge.gateway.store;

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
   * Reads what was appended after a position, in order and as much as one {@link Document} holds
   * (an event without entries counts as one), but at least one event where there is any. It stops
   * below the lowest number that is not yet committed, so that whoever goes on from {@link Page#to}
   * misses nothing (rule L9). It looks at a bounded number of events: a page may be empty and still
   * lead on.
   *
   * @param after where to go on; one past the end reads nothing until the end has passed it
   * @param upTo nothing after this; {@link Long#MAX_VALUE} for no such bound
   * @param scope whose events are wanted; those of others are passed over
   */
  Page read(long after, long upTo, Scope scope);

  /**
   * Removes a batch of the oldest events, as far as they are older than a time. Events that a round
   * has not covered or that a delivery under way may need stay until that is over; other laggards
   * that miss what is removed jump to the present, with the gap on record (rule L13).
   *
   * @param maxEvents of one batch, and of the laggards that jump in it
   * @param maxBytes of one batch as stored; a single event may be longer
   */
  CompletableFuture<Trimmed> trim(Instant before, int maxEvents, long maxBytes, Instant now);

  /** Whose events a reader wants. */
  sealed interface Scope {
    /** Everyone's. */
    Scope ALL = new All();

    /** Those of all feeds, also of ones that are followed later. */
    record All() implements Scope {}

    /** Those of some feeds. */
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
   * What one read found.
   *
   * @param after where it began: the position asked for, unless that is older than the log. Then it
   *     is the log's start, and the events between the two are lost to the reader
   * @param to the position to go on from; past the last event where others' events follow it
   * @param bytes what the events take as stored
   */
  record Page(long after, List<Event> events, long to, long bytes) {
    public Page {
      events = List.copyOf(events);
    }
  }

  /**
   * What one batch of a removal did.
   *
   * @param events removed
   * @param laggards that jumped
   * @param more whether there may be more to remove
   */
  record Trimmed(int events, int laggards, boolean more) {}
}
