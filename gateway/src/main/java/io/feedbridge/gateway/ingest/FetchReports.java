package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.HeldBack;
import java.time.Duration;

/**
 * Reports the outcomes of fetches to operators. Safe for use by several threads.
 *
 * @param meters for numbers
 * @param activity for sentences
 */
public record FetchReports(Meters meters, ActivityLog activity) {

  void of(FollowedFeed feed, FetchResult result) {
    if (result instanceof FetchResult.Fresh fresh) {
      meters.fetch(Meters.Fetch.FRESH, fresh.way().took());
      note(feed, true, "HTTP %d, %d bytes".formatted(fresh.code(), fresh.body().length));
    } else if (result instanceof FetchResult.NotModified same) {
      meters.fetch(Meters.Fetch.UNCHANGED, same.way().took());
      note(feed, true, "not modified");
    } else if (result instanceof FetchResult.NoRoom noRoom) {
      meters.fetch(Meters.Fetch.NO_ROOM, Duration.ZERO);
      note(feed, false, noRoom.message());
    } else if (result instanceof FetchResult.TooOften tooOften) {
      meters.fetch(Meters.Fetch.NO_ROOM, Duration.ZERO);
      note(feed, false, tooOften.message());
    } else {
      meters.fetch(Meters.Fetch.FAILED, Duration.ZERO);
      note(feed, false, result instanceof FetchResult.Failed failed ? failed.message() : "gone");
    }
  }

  /** A fetch waits for a budget. */
  void heldBack(FollowedFeed feed, HeldBack held) {
    meters.fetchHeldBack();
    note(feed, false, "held back until %s: %s".formatted(held.until(), held.reason()));
  }

  private void note(FollowedFeed feed, boolean success, String outcome) {
    activity.note(Kind.FETCH, feed.topic(), feed.url(), success, outcome);
  }
}
