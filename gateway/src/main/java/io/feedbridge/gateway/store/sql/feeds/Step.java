package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An outcome on its way into the tables.
 *
 * @param arrivals of its work
 * @param before the feed as it was
 * @param appended the numbers of its events
 */
record Step(Outcome outcome, Arrivals arrivals, Before before, List<Long> appended) {

  /** The feed as it was, read at once: each write that changes nothing is left out. */
  record Before(
      String url,
      FeedState state,
      boolean followed,
      boolean tried,
      @Nullable Instant firstFetchAt,
      @Nullable Instant nextFetchAt,
      String fetched,
      String advertised,
      SqlEntries.Fields fields,
      boolean isHeld,
      boolean hasBody,
      boolean hasRaw,
      long bodyUntil) {

    /**
     * Whether bytes that have a reader are not kept, and would not be sent again: they were asked
     * for while this outcome was under way.
     */
    boolean lacksBytes(Outcome outcome) {
      return !hasBody
          && outcome.body() == null
          && isRead(outcome.at())
          && firstFetchAt != null
          && outcome.feed().kind() == FeedKind.FEED
          && outcome.feed().state() != FeedState.GONE
          && outcome.feed().validators().bodyHash() != null;
    }

    /**
     * Whether the bytes of an outcome have a reader: the bytes of a topic that is no feed, and of a
     * first fetch, always may have one.
     */
    boolean keepsBytes(Outcome outcome) {
      return isRead(outcome.at())
          || firstFetchAt == null
          || outcome.feed().kind() != FeedKind.FEED
          || outcome.feed().fetched().partial() != null;
    }

    /** Whether a subscriber gets the bytes, or a reader of the bridged feed may. */
    private boolean isRead(Instant at) {
      return hasRaw || bodyUntil > at.toEpochMilli();
    }

    @Nullable Instant lastFetch() {
      return Json.read(fetched, FollowedFeed.Fetched.class).lastFetch();
    }

    /**
     * Adds the effects of a change. Effects without due work are left out, because each effect
     * makes a listener query the store after the commit.
     */
    void tell(FollowedFeed after, String advertisedNow, Set<Effect> effects) {
      boolean hasBaseline = firstFetchAt != null;
      boolean isFirst = hasBaseline != after.hasBaseline();
      if (!Objects.equals(nextFetchAt, after.nextFetchAt())) {
        effects.add(Effect.FETCH_DUE);
      }
      if (isFirst || !advertised.equals(advertisedNow)) {
        effects.add(Effect.FOLLOWING);
      }
      if (isFirst || !tried || state != after.state()) {
        effects.add(Effect.VERIFICATION);
      }
    }
  }
}
