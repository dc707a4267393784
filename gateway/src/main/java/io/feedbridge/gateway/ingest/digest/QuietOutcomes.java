package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.Barrier;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.normalizer.Feed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes that bring no entries: a feed did not change, failed or is gone. The only event that
 * one of them makes is the feed's new status.
 */
final class QuietOutcomes {

  /** Failures in a row after which a feed counts as being in error. */
  private static final int FAILURES_TO_ERROR = 3;

  private static final int NOT_MODIFIED = 304;

  private final Planner planner;

  QuietOutcomes(Planner planner) {
    this.planner = planner;
  }

  private static Outcome quiet(Look look, FollowedFeed after) {
    return new Outcome(
        look.position(),
        after,
        look.now(),
        look.via(),
        List.of(),
        null,
        null,
        statusNews(look.feed(), after));
  }

  /** A feed that fails, is gone or is back has an event of its own, with nothing but the status. */
  static List<Update> statusNews(FollowedFeed before, FollowedFeed after) {
    boolean known = before.hasBaseline() && before.state() != FeedState.NEW;
    return known && after.state() != before.state()
        ? List.of(
            Update.ofStatus(Feed.bare(after.topic(), after.fetched().title()), after.status())
                .in(after.fetched().format()))
        : List.of();
  }

  /**
   * The feed is followed no more: its work is removed unprocessed. Followed again before that is
   * recorded, the feed is due.
   */
  static Outcome unwanted(Look look) {
    return quiet(look, Changes.of(look.feed()).nextFetch(look.now(), null).build());
  }

  /** A fetch brought no document. */
  Outcome of(Look look, FetchResult result) {
    FollowedFeed feed = look.feed();
    if (result instanceof FetchResult.NotModified same) {
      String message = "not modified, asked in " + same.way().seconds();
      PollPace.Asked asked = feed.pace().asked();
      Duration fresh = same.way().fresh();
      return unchanged(
          look,
          same.way(),
          new Answer(NOT_MODIFIED, message, fresh == null ? asked : asked.withFresh(fresh)),
          feed.validators(),
          feed.advertised());
    }
    if (result instanceof FetchResult.Gone gone) {
      return gone(look, gone.code(), gone.message(), null);
    }
    if (result instanceof FetchResult.Failed failed) {
      return failure(look, failed);
    }
    throw new IllegalArgumentException("the fetch failed: " + result);
  }

  private static Outcome gone(
      Look look, @Nullable Integer code, String message, @Nullable Barrier barrier) {
    FollowedFeed feed = look.feed();
    return quiet(
        look,
        Changes.of(feed)
            .state(FeedState.GONE)
            .fetched(failed(feed.fetched(), code, message, 0, look.now()).barred(barrier))
            .pace(feed.pace().planned(null, null))
            .nextFetch(null, null)
            .build());
  }

  /** The status, message and hints of an answer without news. */
  record Answer(int code, String message, PollPace.Asked asked) {}

  /** The feed is as it was. */
  Outcome unchanged(
      Look look, FetchResult.Way way, Answer answer, Validators validators, Advertised advertised) {
    FollowedFeed feed = look.feed();
    FollowedFeed.Fetched before = feed.fetched();
    Planner.Plan plan = planner.unchanged(look, answer.asked);
    Planner.Moved moved = planner.moved(look, way);
    return quiet(
        look,
        Changes.of(feed)
            .state(FeedState.ACTIVE)
            .firstFetch(feed.firstFetchAt() == null ? look.now() : feed.firstFetchAt())
            .fetched(
                new FollowedFeed.Fetched(
                        before.title(),
                        answer.code,
                        answer.message,
                        plan.period(),
                        0,
                        before.generatedIds(),
                        look.now(),
                        before.lastParse(),
                        Upkeep.after(before.maintenance(), 0, look.now()),
                        before.standing().readBy(look.readers()))
                    .in(before.format(), before.noFeed())
                    .brokenOff(before.partial()))
            .nextFetch(LastEntry.nextFetch(plan.next(), before.partial(), look.now()), plan.via())
            .pace(plan.pace().movingTo(moved.moving()))
            .url(moved.url())
            .validators(validators)
            .advertised(advertised)
            .build());
  }

  /** The feed could not be had or read. */
  Outcome failure(Look look, FetchResult.Failed failed) {
    FollowedFeed feed = look.feed();
    FollowedFeed.Fetched before = feed.fetched();
    Barrier barrier = feed.hasBaseline() ? null : barrier(before.barrier(), failed, look.now());
    if (barrier != null && barrier.isGone(look.now())) {
      return gone(look, failed.code(), failed.message() + ", for a day now", barrier);
    }
    // A turn that comes later is no failure of the origin.
    int failures = Math.max(1, before.failures() + (failed.isEarly() ? 0 : 1));
    Planner.Plan plan = planner.failed(look, failures, failed);
    // One that was gone is polled again now, and so is not gone any more.
    boolean error = failures >= FAILURES_TO_ERROR || feed.state() == FeedState.GONE;
    return quiet(
        look,
        Changes.of(feed)
            .state(error ? FeedState.ERROR : feed.state())
            .fetched(
                failed(before, failed.code(), failed.message(), failures, look.now())
                    .barred(barrier))
            .nextFetch(plan.next(), plan.via())
            .pace(plan.pace())
            .build());
  }

  private static @Nullable Barrier barrier(
      @Nullable Barrier before, FetchResult.Failed failed, Instant now) {
    Barrier.Kind kind = failed.barrier();
    if (kind == null) {
      return null;
    }
    return before != null && before.kind() == kind ? before : new Barrier(kind, now);
  }

  private static FollowedFeed.Fetched failed(
      FollowedFeed.Fetched before,
      @Nullable Integer code,
      String message,
      int failures,
      Instant now) {
    return new FollowedFeed.Fetched(
            before.title(),
            code,
            message,
            before.period(),
            failures,
            before.generatedIds(),
            now,
            before.lastParse(),
            before.maintenance(),
            before.standing())
        .in(before.format(), before.noFeed())
        .brokenOff(before.partial());
  }
}
