package io.feedbridge.gateway.kafka;

import io.feedbridge.gateway.store.log.Event;
import java.util.Optional;

/**
 * The place in the log up to which the topic has the events.
 *
 * @param seq the last event that is in the topic
 * @param run grows each time an older state of the store was restored: numbers of events are used
 *     again then, and the ids of events must not be
 * @param mark tells the last event from another one of the same number; empty where none is known
 */
record Cursor(long seq, long run, String mark) {

  /** A topic without events. */
  static final Cursor NONE = new Cursor(0, 0, "");

  /** The mark of an event. */
  static String markOf(Event event) {
    return event.feedId() + "@" + event.at().toEpochMilli();
  }

  /**
   * Where a publisher goes on that finds this cursor in the topic and has written nothing yet.
   *
   * @param last the event of the log with the number of the cursor
   * @param headAtStart the end of the log before this process appended to it
   * @return this cursor, or one with another run if the topic has events that the log does not have
   */
  Cursor resumed(Optional<Event> last, long headAtStart) {
    boolean same = last.isPresent() && !mark.isEmpty() && markOf(last.get()).equals(mark);
    if (seq > headAtStart) {
      // Another process may have appended and published in the meantime.
      return same ? this : new Cursor(headAtStart, run + 1, "");
    }
    // The events of the older state are not known: an event twice is better than none.
    return same || last.isEmpty() || mark.isEmpty() ? this : new Cursor(0, run + 1, "");
  }

  /** The cursor as a record of the topic has it, behind the identity of the log. */
  String text() {
    return "%d %d %s".formatted(seq, run, mark).strip();
  }

  /** Reads {@link #text}; a cursor of the first form has its number alone. */
  static Cursor of(String text) {
    String[] parts = text.split(" ", -1);
    return new Cursor(
        Long.parseLong(parts[0]),
        parts.length > 1 ? Long.parseLong(parts[1]) : 0,
        parts.length > 2 ? parts[2] : "");
  }
}
