package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Followings;
import io.feedbridge.gateway.store.Pace;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says, after a fetch that was answered, when the next one is to be. */
final class Planner {

  /** How long a redirect must be seen before it is believed: one bad night moves nothing. */
  static final Duration BELIEVED_AFTER = Duration.ofHours(1);

  private final Cadence cadence;
  private final Followings followings;

  Planner(Cadence cadence, Followings followings) {
    this.cadence = cadence;
    this.followings = followings;
  }

  /**
   * When to fetch next, and as what.
   *
   * @param period between polls, as it is kept to
   */
  record Plan(Duration period, Pace pace, @Nullable Instant next, @Nullable Via via) {}

  /**
   * What a fetch found.
   *
   * @param kind of what it brought
   * @param asked what the origin asks for now
   * @param baseline the entries of a first document
   * @param news how many entries are new
   * @param shown how many entries the document has
   * @param changed whether it brought news of whatever kind
   */
  record Found(
      FeedKind kind,
      Pace.Asked asked,
      List<Entry> baseline,
      int news,
      int shown,
      boolean changed) {}

  /** What the document and HTTP ask for. */
  static Pace.Asked asked(Optional<Feed> parsed, FetchResult.Way way) {
    Hints hints = parsed.map(Feed::hints).orElse(Hints.NONE);
    return new Pace.Asked(
        hints.ttl(),
        way.fresh(),
        hints.updatePeriod(),
        hints.updateBase(),
        hints.skipHours(),
        hints.skipDays());
  }

  /** The plan after a fetch that brought something. */
  Plan after(Digest.Look look, Found found) {
    Pace rhythm = beat(look, found).asking(found.asked).showing(found.shown);
    Pace pace = rhythm.every(period(look, found.kind, rhythm, found.changed));
    return plan(look, pace, look.via() == Via.POLL && found.news > 0);
  }

  /** The plan after a fetch that brought nothing. */
  Plan unchanged(Digest.Look look, Pace.Asked asked) {
    Pace pace = look.feed().pace().asking(asked);
    Plan plan = plan(look, pace.every(period(look, look.feed().kind(), pace, false)), false);
    return recheck(look, plan);
  }

  /**
   * Where a feed that was answered for is fetched from now on: another URL once a permanent
   * redirect to it was seen twice, long enough apart.
   */
  Moved moved(Digest.Look look, FetchResult.Way way) {
    FollowedFeed feed = look.feed();
    Pace.Moving before = feed.pace().moving();
    if (!feed.hasBaseline() && way.isDiscovered()) {
      return new Moved(way.url(), null);
    }
    if (!way.isMove() || way.url().equals(feed.url())) {
      return new Moved(feed.url(), null);
    }
    if (before == null || !before.to().equals(way.url())) {
      return new Moved(feed.url(), new Pace.Moving(way.url(), look.now()));
    }
    return before.since().plus(BELIEVED_AFTER).isAfter(look.now())
        ? new Moved(feed.url(), before)
        : new Moved(way.url(), null);
  }

  /**
   * Where a feed is.
   *
   * @param moving where it may be going to
   */
  record Moved(String url, Pace.@Nullable Moving moving) {}

  /**
   * The period from now on. That a ping's fetch finds nothing says nothing of the feed's rhythm;
   * else whoever pings often enough could make its polls rare.
   */
  private Duration period(Digest.Look look, FeedKind kind, Pace pace, boolean found) {
    Duration known = look.feed().pace().period();
    Duration period = known == null ? look.feed().fetched().period() : known;
    boolean first = !look.feed().hasBaseline();
    Duration adapted =
        first || found || look.polled() || period.isZero()
            ? cadence.after(period, found, first, pace, look.now())
            : period;
    Duration floor = cadence.floor(kind);
    return adapted.compareTo(floor) < 0 ? floor : adapted;
  }

  /** The feed's rhythm with what this fetch found of it. */
  private static Pace beat(Digest.Look look, Found found) {
    Pace before = look.feed().pace();
    if (!found.baseline.isEmpty()) {
      return Rhythm.of(found.baseline, before, look.now());
    }
    return found.news == 0 ? before : Rhythm.after(before, found.news, look.now());
  }

  /**
   * The backup poll keeps its own pace, so that pushes cannot starve it (DESIGN §5).
   *
   * @param missed whether this was a poll that found what was to be pushed
   */
  private Plan plan(Digest.Look look, Pace pace, boolean missed) {
    Duration period = Objects.requireNonNull(pace.period(), "every feed has a period");
    // One that was found wanting has to prove itself while the feed is polled as if it were not.
    boolean pushed =
        !missed
            && followings.ofFeed(look.feed().id()).stream()
                .anyMatch(one -> one.isReliedOn() && !isInDoubt(look, one));
    Instant planned = look.feed().pace().pollAt();
    if (planned == null) {
      planned = look.feed().nextFetchAt();
    }
    boolean due = look.polled() || planned == null || !planned.isAfter(look.now());
    Instant poll =
        pushed && !due && planned != null
            ? planned
            : cadence.next(
                look.now(), pushed ? cadence.watch(pace) : period, pace.asked(), look.feed().url());
    Duration kept = cadence.effective(look.now(), period, pace.asked());
    return new Plan(kept, pace.planned(poll, null), poll, null);
  }

  /** After a miss the next push is not waited for blindly; this one may be it. */
  private static boolean isInDoubt(Digest.Look look, Following following) {
    return following.trust().missedTheLast() && !look.via().isPing();
  }

  /**
   * Some publishers ping before their own caches are renewed: a feed that turned out unchanged is
   * fetched once more, as if it were pinged then.
   */
  private Plan recheck(Digest.Look look, Plan plan) {
    Instant planned = look.feed().pace().recheckAt();
    boolean over = planned != null && !planned.isAfter(look.now());
    if (!look.via().isPing() || over || cadence.recheck().isZero() || !look.feed().hasBaseline()) {
      return plan;
    }
    Instant again = planned == null ? look.now().plus(cadence.recheck()) : planned;
    return plan.next != null && plan.next.isBefore(again)
        ? plan
        : new Plan(plan.period, plan.pace.planned(plan.next, again), again, look.via());
  }

  /** The plan after a fetch that failed so often in a row. */
  Plan failed(Digest.Look look, int failures, Optional<Duration> retryAfter) {
    FollowedFeed feed = look.feed();
    boolean pinged = look.via().isPing();
    Duration period = feed.fetched().period();
    Instant again = cadence.afterFailure(look.now(), period, failures, pinged, retryAfter);
    // After a ping a regular poll stays where it is; a poll itself is put off.
    Instant poll = pinged && !look.polled() ? feed.pace().pollAt() : again;
    return new Plan(period, feed.pace().planned(poll, null), again, pinged ? look.via() : null);
  }
}
