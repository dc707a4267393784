package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.feeds.Outcome;
import java.time.Instant;

/** The outcome of an assignment. */
sealed interface Refreshed {

  /** The outcome is on disk, with news or without. The work is done. */
  record Recorded(Outcome outcome) implements Refreshed {

    /** Whether a feed had new entries, or an entry had changed or was removed. */
    boolean isNews() {
      return outcome.updates().stream()
          .anyMatch(
              update ->
                  !update.feed().entries().isEmpty()
                      || !update.changed().isEmpty()
                      || !update.feed().removals().isEmpty());
    }
  }

  /** A later due time of the feed is on disk. The work is done. */
  record PutOff(Instant until) implements Refreshed {}

  /** Nothing is on disk. The work is to be handed out again at this time. */
  record Later(Instant at) implements Refreshed {}

  /**
   * Nothing is on disk. The work is to be handed out again at once, with the ping that is there.
   */
  record Overtaken() implements Refreshed {}

  /** The gateway stops. The work stays, and is done after the restart. */
  record CutOff() implements Refreshed {}

  /**
   * A step failed by an exception; the count of tries is bounded.
   *
   * @param ofContent whether the content of a delivery may be the cause of the failure
   */
  record Failed(Throwable cause, boolean ofContent) implements Refreshed {}
}
