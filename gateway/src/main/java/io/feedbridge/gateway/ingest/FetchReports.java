package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports the outcomes of fetches to operators. Safe for use by several threads.
 *
 * @param meters for numbers
 * @param activity for sentences
 * @param traces for the way of one event
 */
public record FetchReports(Meters meters, ActivityLog activity, Traces traces) {

  private static final Logger log = LoggerFactory.getLogger(FetchReports.class);

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
    } else if (result instanceof FetchResult.HeldBack heldBack) {
      note(feed, false, "held back: " + heldBack.told().reason());
    } else {
      String cause = result instanceof FetchResult.Failed failed ? failed.message() : "gone";
      meters.fetch(
          Meters.Fetch.FAILED, result.wayTaken().map(FetchResult.Way::took).orElse(Duration.ZERO));
      note(feed, false, cause);
      // Of many feeds some fail all the time; the change of their state is the warning.
      log(Level.INFO, feed, cause, "A fetch failed");
    }
  }

  /** An outcome is recorded: tells of a feed that fails, is gone, is back, or is no feed. */
  void changed(FollowedFeed before, FollowedFeed after) {
    String cause = after.fetched().message();
    if (before.state() != after.state()) {
      switch (after.state()) {
        case ERROR -> {
          log(Level.WARN, after, cause, "A feed fails");
          tell(Notice.Type.FEED_ERROR, after, cause == null ? "fails" : "fails: " + cause);
        }
        case GONE -> {
          log(Level.WARN, after, cause, "A feed is gone");
          tell(Notice.Type.FEED_GONE, after, "is gone");
        }
        case ACTIVE -> {
          if (before.state() != FeedState.NEW) {
            log(Level.INFO, after, cause, "A feed is back");
            tell(Notice.Type.FEED_BACK, after, "is back");
          }
        }
        case NEW -> {}
      }
    }
    if (after.kind() == FeedKind.CONTENT && before.kind() != FeedKind.CONTENT) {
      log(Level.WARN, after, cause, "A topic is no feed");
    }
  }

  private void tell(Notice.Type type, FollowedFeed feed, String change) {
    activity.tell(type, feed.topic(), "The feed %s %s.".formatted(feed.topic(), change));
  }

  private static void log(Level level, FollowedFeed feed, @Nullable String cause, String event) {
    log.atLevel(level)
        .addKeyValue("feed", feed.topic())
        .addKeyValue("host", CallbackHost.of(feed.url()))
        .addKeyValue("cause", cause)
        .log(event);
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
