package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says, after a fetch that was answered, when the next one is to be. */
final class Planner {

  /**
   * The time for which a redirect must be seen before it is believed: one bad night moves nothing.
   */
  static final Duration BELIEVED_AFTER = Duration.ofHours(1);

  private final PollSchedule pollSchedule;
  private final UpstreamSubscriptions upstreamSubscriptions;

  Planner(PollSchedule pollSchedule, UpstreamSubscriptions upstreamSubscriptions) {
    this.pollSchedule = pollSchedule;
    this.upstreamSubscriptions = upstreamSubscriptions;
  }

  /**
   * The time and the reason of the next fetch.
   *
   * @param period the effective period between polls
   */
  record Plan(Duration period, PollPace pace, @Nullable Instant next, @Nullable Via via) {}

  /**
   * The findings of a fetch.
   *
   * @param kind the kind of the fetched resource
   * @param asked the origin's current polling hints
   * @param baseline the entries of a first document
   * @param news the number of new entries
   * @param shown the number of entries in the document
   * @param changed whether the fetch brought news of any kind
   */
  record Found(
      FeedKind kind,
      PollPace.Asked asked,
      List<Entry> baseline,
      int news,
      int shown,
      boolean changed) {}

  /** The plan after a fetch that brought something. */
  Plan after(Look look, Found found) {
    PollPace rhythm = beat(look, found).asking(found.asked).showing(found.shown);
    PollPace pace = rhythm.every(period(look, found.kind, rhythm, found.changed));
    return plan(look, pace, look.via() == Via.POLL && found.news > 0);
  }

  /** The plan after a fetch that brought nothing. */
  Plan unchanged(Look look, PollPace.Asked asked) {
    PollPace pace = look.feed().pace().asking(asked);
    Plan plan = plan(look, pace.every(period(look, look.feed().kind(), pace, false)), false);
    return recheck(look, plan);
  }

  /**
   * Where a feed that was answered for is fetched from now on: another URL once a permanent
   * redirect to it was seen twice, long enough apart.
   */
  Moved moved(Look look, FetchResult.Way way) {
    FollowedFeed feed = look.feed();
    PollPace.Moving before = feed.pace().moving();
    if (!feed.hasBaseline() && way.isDiscovered()) {
      return new Moved(way.url(), null);
    }
    if (!way.isMove() || way.url().equals(feed.url())) {
      return new Moved(feed.url(), null);
    }
    if (before == null || !before.to().equals(way.url())) {
      return new Moved(feed.url(), new PollPace.Moving(way.url(), look.now()));
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
  record Moved(String url, PollPace.@Nullable Moving moving) {}

  /**
   * The period from now on. That a fetch finds nothing says something of the feed's rhythm only
   * after a whole period: a ping's does not, or pings could make the polls rare, nor does one that
   * another topic's poll brought along.
   */
  private Duration period(Look look, FeedKind kind, PollPace pace, boolean found) {
    Duration known = look.feed().pace().period();
    Duration period = known == null ? look.feed().fetched().period() : known;
    boolean first = !look.feed().hasBaseline();
    Duration adapted =
        first || found || isOwnPoll(look) || period.isZero()
            ? pollSchedule.after(period, found, first, pace, look.now())
            : period;
    Duration floor = pollSchedule.floor(kind);
    return adapted.compareTo(floor) < 0 ? floor : adapted;
  }

  private static boolean isOwnPoll(Look look) {
    Instant planned = look.feed().pace().pollAt();
    return look.polled() && (planned == null || !planned.isAfter(look.now()));
  }

  /** The feed's rhythm, updated with the findings of this fetch. */
  private static PollPace beat(Look look, Found found) {
    PollPace before = look.feed().pace();
    if (!found.baseline.isEmpty()) {
      return Rhythm.of(found.baseline, before, look.now());
    }
    return found.news == 0 ? before : Rhythm.after(before, found.news, look.now());
  }

  /**
   * Plans the next poll. The backup poll keeps its own pace, so that pushes cannot starve it
   * (DESIGN §5).
   *
   * @param missed whether this was a poll that found entries which push should have brought
   */
  private Plan plan(Look look, PollPace pace, boolean missed) {
    Duration period = Objects.requireNonNull(pace.period(), "every feed has a period");
    // An upstream subscription in doubt has to prove itself while the feed is polled as if not
    // pushed.
    boolean pushed =
        !missed
            && upstreamSubscriptions.ofFeed(look.feed().id()).stream()
                .anyMatch(one -> one.isReliedOn() && !isInDoubt(look, one));
    Instant planned = look.feed().pace().pollAt();
    if (planned == null) {
      planned = look.feed().nextFetchAt();
    }
    boolean due = look.polled() || planned == null || !planned.isAfter(look.now());
    Instant poll =
        pushed && !due && planned != null
            ? planned
            : pollSchedule.next(
                look.now(),
                pushed ? pollSchedule.watch(pace) : period,
                pace.asked(),
                look.feed().url());
    Duration kept = pollSchedule.effective(look.now(), period, pace.asked());
    return new Plan(kept, pace.planned(poll, null), poll, null);
  }

  /**
   * After a missed push, an upstream subscription is in doubt, except for a push that just arrived.
   */
  private static boolean isInDoubt(Look look, UpstreamSubscription following) {
    return following.trust().missedTheLast() && !look.via().isPing();
  }

  /**
   * Some publishers ping before their own caches are renewed: a feed that turned out unchanged is
   * fetched once more, as if it were pinged then.
   */
  private Plan recheck(Look look, Plan plan) {
    Instant planned = look.feed().pace().recheckAt();
    boolean over = planned != null && !planned.isAfter(look.now());
    if (!look.via().isPing()
        || over
        || pollSchedule.recheck().isZero()
        || !look.feed().hasBaseline()) {
      return plan;
    }
    Instant again = planned == null ? look.now().plus(pollSchedule.recheck()) : planned;
    return plan.next != null && plan.next.isBefore(again)
        ? plan
        : new Plan(plan.period, plan.pace.planned(plan.next, again), again, look.via());
  }

  /** The plan after a fetch that failed so often in a row. */
  Plan failed(Look look, int failures, FetchResult.Failed failed) {
    FollowedFeed feed = look.feed();
    boolean pinged = look.via().isPing();
    Duration period = feed.fetched().period();
    Instant again =
        feed.hasBaseline()
            ? pollSchedule.afterFailure(look.now(), period, failures, pinged, failed.retryAfter())
            : pollSchedule.afterFirstLook(look.now(), failures, failed);
    // After a ping a regular poll stays where it is; a poll itself is put off.
    Instant poll = pinged && !look.polled() ? feed.pace().pollAt() : again;
    return new Plan(period, feed.pace().planned(poll, null), again, pinged ? look.via() : null);
  }
}
