package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.store.deliveries.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The subscriptions that a pass comes to next, whose ids are looked up some pages at once. Used by
 * the thread of the pass.
 */
final class LookAhead {

  /** Subscriptions whose ids are looked up at once. */
  private static final int MOST = 4 * RoundPass.PAGE;

  private final Rounds rounds;
  private final List<Long> ids = new ArrayList<>();

  /** Up to this id, subscriptions that were not handed out need no lookup. */
  private long seenUpTo;

  LookAhead(Rounds rounds) {
    this.rounds = rounds;
  }

  /**
   * Subscriptions in the order of their ids.
   *
   * @param upTo all others up to this id are served, laggards or passed over
   */
  record Page(List<Long> ids, long upTo) {}

  boolean isEmpty() {
    return ids.isEmpty();
  }

  /** Forgets the ids: the next call must look them up again. */
  void clear() {
    ids.clear();
  }

  /**
   * Looks up subscriptions after an id. Blocks.
   *
   * @return whether none comes after it
   */
  boolean look(long feedId, long after, Set<String> passed) {
    Rounds.Stretch stretch = rounds.recipients(feedId, after, passed, MOST);
    seenUpTo = stretch.upTo();
    ids.addAll(stretch.recipients());
    return stretch.upTo() == after;
  }

  /** Takes out the next ones. */
  Page next(int most) {
    List<Long> some = ids.subList(0, Math.min(most, ids.size()));
    Page page =
        new Page(
            List.copyOf(some), some.size() == ids.size() ? seenUpTo : some.get(some.size() - 1));
    some.clear();
    return page;
  }
}
