package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts the tries of work that fails by an exception, so that no work item stops its feed: after
 * {@link #MAX_TRIES} a delivery's content is given up and the feed is fetched instead; after as
 * many again the item itself is given up. Safe for use by several threads.
 *
 * <p>The counts are in memory, and a restart begins them anew. That is bounded as well: an item
 * that a process has given up is durably gone, and one that it has not is younger than the few
 * seconds that its tries take. A write for each try would double the cost of a failure to the store
 * and bound nothing else.
 */
final class FailedWork {

  /** Tries of one item, and of a delivery's content before that. */
  static final int MAX_TRIES = 3;

  /** The pause after the first failure; it doubles with each further one. */
  private static final Duration FIRST_REST = Duration.ofSeconds(1);

  private static final Duration LONGEST_REST = Duration.ofMinutes(5);
  private static final int MAX_DOUBLINGS = 9;

  /** Characters of a reason: each event of the feed's status repeats it. */
  private static final int MAX_REASON = 300;

  /** Feeds whose work succeeds are not in it. */
  private final Map<Long, Count> counts = new ConcurrentHashMap<>();

  /**
   * The failures of the item at the head of a feed's work.
   *
   * @param rests failures in a row, including failures of the store
   * @param tries failures of the item itself, with its content or without
   * @param withoutContent whether the content was given up
   * @param last the last failure of the item itself
   */
  private record Count(int rests, int tries, boolean withoutContent, @Nullable Throwable last) {

    static final Count NONE = new Count(0, 0, false, null);

    Count after(Throwable failure, boolean ofContent) {
      // A full disk is no failure of the item, which is tried until the disk has room.
      if (StoreException.isGeneral(failure)) {
        return new Count(rests + 1, tries, withoutContent, last);
      }
      boolean givesUpContent = ofContent && !withoutContent && tries + 1 >= MAX_TRIES;
      return new Count(
          rests + 1, givesUpContent ? 0 : tries + 1, withoutContent || givesUpContent, failure);
    }
  }

  /** The step that follows a failure. */
  sealed interface Next {

    /** Another try, after this time. */
    record Again(Duration rest) implements Next {}

    /** No further try: the failure is to be recorded. */
    record GiveUp(Throwable cause) implements Next {}
  }

  /**
   * Counts a failure.
   *
   * @param ofContent whether the content of a delivery may be the cause of the failure
   */
  Next failed(long feedId, Throwable failure, boolean ofContent) {
    Count count =
        counts.compute(
            feedId,
            (feed, before) -> (before == null ? Count.NONE : before).after(failure, ofContent));
    return givenUp(feedId)
        .<Next>map(Next.GiveUp::new)
        .orElseGet(() -> new Next.Again(rest(count.rests)));
  }

  /** Counts a failure to record that an item is given up; says how long to wait. */
  Duration notRecorded(long feedId) {
    Count count =
        counts.compute(
            feedId,
            (feed, before) -> {
              Count known = before == null ? Count.NONE : before;
              return new Count(known.rests + 1, known.tries, known.withoutContent, known.last);
            });
    return rest(count.rests);
  }

  /** Why the item at the head of a feed's work is not to be tried any more; empty if it is. */
  Optional<Throwable> givenUp(long feedId) {
    Count count = counts.get(feedId);
    return count == null || count.tries < MAX_TRIES
        ? Optional.empty()
        : Optional.ofNullable(count.last);
  }

  /** The content that an assignment brought along; empty where it was given up. */
  Optional<WorkItem.Fat> content(Assignment assignment) {
    Count count = counts.get(assignment.feedId());
    boolean givenUp = count != null && count.withoutContent;
    return assignment.items().get(0) instanceof WorkItem.Fat fat && !givenUp
        ? Optional.of(fat)
        : Optional.empty();
  }

  /** The item has left the work. */
  void over(long feedId) {
    counts.remove(feedId);
  }

  private static Duration rest(int failures) {
    Duration pause = FIRST_REST.multipliedBy(1L << Math.min(failures - 1, MAX_DOUBLINGS));
    return pause.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : pause;
  }

  /** The cause of a step's failure, unwrapped from the exception of a future. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** A failure in words: the gateway's own fault, with the details that a report of it needs. */
  static String reason(Throwable failure) {
    String text = "the gateway failed to process it: " + cause(failure);
    return text.length() > MAX_REASON ? text.substring(0, MAX_REASON) : text;
  }
}
