package io.feedbridge.gateway.kafka;

import io.feedbridge.gateway.store.Event;

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
