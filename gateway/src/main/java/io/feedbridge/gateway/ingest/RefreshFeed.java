package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.ingest.FetchScheduler.Slot;
import io.feedbridge.gateway.ingest.FetchScheduler.Turn;
import io.feedbridge.gateway.ingest.digest.Digest;
import io.feedbridge.gateway.ingest.digest.Look;
import io.feedbridge.gateway.ingest.digest.Upkeep;
import io.feedbridge.gateway.ingest.fetch.DocumentMemory;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.Journey;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.OriginWindow;
import io.feedbridge.gateway.ingest.throttle.FetchBudgets;
import io.feedbridge.gateway.ingest.throttle.PingBursts;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The steps of one assignment, in order: decide whether a fetch is needed and allowed, wait for the
 * host, fetch, digest, record. Steps that block run on worker threads, and waiting holds no thread.
 * This class keeps no state of an assignment; the assignment's slot holds it. Safe for use by
 * several threads.
 */
final class RefreshFeed {

  /**
   * The pause before a document is fetched again for which there was no room; some seconds may be
   * added.
   */
  static final Duration NO_ROOM_PAUSE = Duration.ofSeconds(10);

  /** A fetch that is put off for no longer than this is not shown as held back. */
  private static final Duration LONGEST_UNTOLD_WAIT = Duration.ofSeconds(30);

  private final FeedRecords records;
  private final Fetcher fetcher;
  private final FetchBudgets budgets;
  private final PingBursts bursts;
  private final SharedFetches shared;
  private final Digest digest;
  private final Executor workers;
  private final Clock clock;

  /**
   * Wires the steps.
   *
   * @param workers where the steps run that block
   */
  RefreshFeed(
      FeedRecords records,
      Fetcher fetcher,
      FetchBudgets budgets,
      PingBursts bursts,
      SharedFetches shared,
      Digest digest,
      Executor workers,
      Clock clock) {
    this.records = records;
    this.fetcher = fetcher;
    this.budgets = budgets;
    this.bursts = bursts;
    this.shared = shared;
    this.digest = digest;
    this.workers = workers;
    this.clock = clock;
  }

  /**
   * Begins on the caller's thread, which must be a worker's.
   *
   * @param delivery the content that the assignment brought along, unless it was given up
   * @param slot of the assignment; the caller closes it once the future has completed
   * @return never completes exceptionally
   */
  CompletableFuture<Refreshed> refresh(
      Assignment assignment, Optional<WorkItem.Fat> delivery, Slot slot) {
    boolean hasContent = delivery.isPresent();
    return CompletableFuture.completedFuture(delivery)
        .thenCompose(content -> room(content, slot))
        .thenCompose(
            room ->
                room
                    ? decide(assignment, delivery, slot)
                    : done(new Refreshed.Later(roomBy(slot.job().feedId()))))
        .exceptionally(failure -> failed(failure, hasContent));
  }

  /** A delivery of much content waits for the memory that it takes. */
  private CompletableFuture<Boolean> room(Optional<WorkItem.Fat> delivery, Slot slot) {
    int bytes = delivery.map(fat -> fat.body().length).orElse(0);
    if (bytes <= DocumentMemory.USUAL) {
      return CompletableFuture.completedFuture(true);
    }
    return slot.document().take(bytes)
        ? slot.digestible(bytes).thenApplyAsync(digestible -> true, workers)
        : CompletableFuture.completedFuture(false);
  }

  /** Does the steps that need no fetch, and fetches if a fetch is needed and allowed. */
  private CompletableFuture<Refreshed> decide(
      Assignment assignment, Optional<WorkItem.Fat> delivery, Slot slot) {
    FetchJob job = slot.job();
    FollowedFeed feed = records.feed(job.feedId());
    Instant now = clock.instant();
    if (!feed.followed()) {
      return done(records.record(job, feed, digest.unwanted(look(job, feed, 0))));
    }
    Optional<HeldBack> flood = budgets.flooding(feed, now);
    if (flood.isPresent()) {
      return done(holdBack(job, feed, flood.get()));
    }
    Optional<Outcome> delivered =
        delivery.flatMap(fat -> digest.fat(assignment.position(), feed, fat, now));
    if (delivered.isPresent()) {
      return done(records.record(job, feed, delivered.get()));
    }
    if (job.via().isPing()) {
      Optional<Instant> quiet = bursts.waitUntil(feed.id(), assignment.items(), now);
      if (quiet.isPresent()) {
        return done(new Refreshed.Later(quiet.get()));
      }
    }
    // Another feed's document was fetched without the credentials of this one.
    Optional<FetchResult> byAnother =
        records.isPrivate(feed) ? Optional.empty() : shared.take(feed, List.of(job.newest()));
    if (byAnother.isPresent()) {
      return withoutContent(
          digestLater(
              slot, byAnother.get(), result -> digest(job, result, records.readers(feed.id()))));
    }
    Optional<HeldBack> budget = budgets.before(feed, job.pings(), now);
    if (budget.isPresent()) {
      return done(holdBack(job, feed, budget.get()));
    }
    Optional<CompletableFuture<Void>> other = shared.begin(feed);
    if (other.isPresent()) {
      // The result may be for this feed, too.
      return other.get().thenComposeAsync(over -> decide(assignment, delivery, slot), workers);
    }
    return fetch(feed, slot).whenComplete((refreshed, failure) -> shared.end(feed));
  }

  private CompletableFuture<Refreshed> fetch(FollowedFeed feed, Slot slot) {
    return withoutContent(
        slot.turn(Origin.of(feed.url()), haste(slot.job(), feed))
            .thenCompose(
                turn ->
                    CompletableFuture.completedFuture(slot)
                        .thenComposeAsync(
                            ready ->
                                turn instanceof Turn.Now
                                    ? send(ready)
                                    : done(notNow(ready.job(), feed, turn)),
                            workers)));
  }

  /** A pinged resource that is no feed waits behind pinged feeds, among the first fetches. */
  private static Haste haste(FetchJob job, FollowedFeed feed) {
    if (job.via().isPing()) {
      return feed.kind() == FeedKind.CONTENT ? Haste.FIRST : Haste.PING;
    }
    return feed.hasBaseline() ? Haste.POLL : Haste.FIRST;
  }

  /**
   * A first fetch that a host or a site does not take yet has failed for now: its subscriber waits
   * for the origin.
   */
  private Refreshed notNow(FetchJob job, FollowedFeed feed, Turn turn) {
    if (!(turn instanceof Turn.Later later)) {
      return new Refreshed.Overtaken();
    }
    Instant at = later.at();
    if (!mayWait(feed, at)) {
      String reason = later.reason() + " until " + at.truncatedTo(ChronoUnit.SECONDS);
      Duration wait = Duration.between(clock.instant(), at);
      return failed(job, feed, FetchResult.Failed.early(feed.url(), reason, wait));
    }
    return at.isAfter(clock.instant().plus(LONGEST_UNTOLD_WAIT))
        ? records.holdBack(job, new HeldBack(later.reason(), at))
        : records.putOff(job, at);
  }

  /** A request that was sent, and for which feed as it was then. */
  private record Sent(FollowedFeed feed, long readers, Instant at) {}

  private CompletableFuture<Refreshed> send(Slot slot) {
    FetchJob job = slot.job();
    // It may have waited long.
    FollowedFeed feed = records.feed(job.feedId());
    Sent sent = new Sent(feed, records.readers(feed.id()), clock.instant());
    // Others that waited with it may have spent its budget.
    Optional<HeldBack> budget = budgets.before(feed, job.pings(), sent.at);
    if (budget.isPresent()) {
      slot.leaveHost(OriginWindow.Ending.OWN);
      return done(holdBack(job, feed, budget.get()));
    }
    if (job.via().isPing()) {
      bursts.fetched(feed.id(), sent.at);
    }
    boolean whole = Upkeep.isDue(feed.fetched().maintenance(), sent.at);
    Origin origin = Origin.of(feed.url());
    Journey journey = slot.journey(origin, haste(job, feed), sent.at);
    return fetcher
        .fetch(feed, records.credentials(feed.id()), sent.readers, whole, slot.document(), journey)
        .exceptionally(
            broken -> FetchResult.Failed.unprocessed(feed.url(), FailedWork.reason(broken)))
        .thenCompose(
            result -> {
              // Before the host's next fetch begins, which the caller's share may hold back.
              budgets.arrived(feed, job.pings(), slot.document().bytes(), clock.instant());
              slot.answered(origin, result, sent.at);
              slot.leaveHost(result.ending());
              return digestLater(slot, result, fetched -> fetched(slot, sent, fetched));
            });
  }

  /** Digests on a worker, once there is the memory for it. */
  private CompletableFuture<Refreshed> digestLater(
      Slot slot, FetchResult result, Function<FetchResult, Refreshed> step) {
    return slot.digestible(result.bytes())
        .thenApplyAsync(digestible -> step.apply(result), workers);
  }

  private Refreshed fetched(Slot slot, Sent sent, FetchResult result) {
    FetchJob job = slot.job();
    FollowedFeed feed = sent.feed;
    if (result instanceof FetchResult.CutOff) {
      return new Refreshed.CutOff();
    }
    Failpoint.AFTER_FETCH.reached();
    records.reports().of(feed, result);
    if (result instanceof FetchResult.HeldBack heldBack) {
      return notNow(job, feed, new Turn.Later(heldBack.told().at(), heldBack.told().reason()));
    }
    int bytes = slot.document().bytes();
    if (result instanceof FetchResult.NoRoom) {
      long sentBytes = bytes + FetchBudgets.UNREAD_BYTES;
      budgets.fetched(feed, result, sentBytes, clock.instant());
      return records.putOff(job, roomBy(feed.id()));
    }
    if (result instanceof FetchResult.TooOften tooOften) {
      return calledTooOften(job, feed, tooOften);
    }
    // Lost with the process, this costs the others a poll of their own.
    Parts parts = new Parts(result);
    if (!records.isPrivate(feed)) {
      records.addDue(shared.offer(feed, parts, sent.at), sent.at);
    }
    Refreshed.Recorded recorded = digest(job, parts.of(feed.topic()), sent.readers);
    FollowedFeed after = recorded.outcome().feed();
    boolean news = recorded.isNews();
    Instant now = clock.instant();
    budgets.found(feed, after);
    if (!news || after.kind() != FeedKind.FEED) {
      budgets.fetched(after, result, bytes, now);
    }
    if (news) {
      budgets.brought(after, job.pings(), bytes, now);
    }
    budgets.pinged(after, job.pings().ways(), news, now);
    return recorded;
  }

  /** A server that redirects makes a feed wait; a first fetch waits for the budget of its host. */
  private Refreshed calledTooOften(FetchJob job, FollowedFeed feed, FetchResult.TooOften result) {
    if (feed.hasBaseline()) {
      return records.putOff(job, roomBy(feed.id()));
    }
    Instant now = clock.instant();
    Instant later = now.plus(FetchBudgets.LONGEST_FIRST_WAIT.multipliedBy(2));
    return holdBack(
        job,
        feed,
        budgets.beforeFirst(feed, now).orElseGet(() -> new HeldBack(result.message(), later)));
  }

  /** Finds and records the new entries. */
  private Refreshed.Recorded digest(FetchJob job, FetchResult result, long readers) {
    // The document is compared with the feed's state after the fetch. If the feed was unfollowed
    // meanwhile, it is left alone; if it was followed again, the document is its baseline (rule
    // L11).
    FollowedFeed since = records.feed(job.feedId());
    Look look = look(job, since, readers);
    return records.record(
        job,
        since,
        since.followed() ? digest.fetched(look, result) : digest.unwanted(look),
        result.wayTaken().map(FetchResult.Way::took));
  }

  private Look look(FetchJob job, FollowedFeed feed, long readers) {
    return new Look(
        job.assignment().position(), feed, job.via(), job.polled(), readers, clock.instant());
  }

  /** Puts a feed off whose budget is spent, which the API and the log of activity tell. */
  private Refreshed holdBack(FetchJob job, FollowedFeed feed, HeldBack held) {
    records.reports().heldBack(feed, held);
    return mayWait(feed, held.until())
        ? records.holdBack(job, held)
        : tellOfWait(job, feed, held.reason(), held.until());
  }

  /** Whether no request waits for the feed's first fetch, or can wait that long. */
  private boolean mayWait(FollowedFeed feed, Instant until) {
    return feed.tried() || !until.isAfter(clock.instant().plus(FetchBudgets.LONGEST_FIRST_WAIT));
  }

  /** Records a first fetch as failed, so that the request that waits for it is answered. */
  private Refreshed tellOfWait(FetchJob job, FollowedFeed feed, String reason, Instant until) {
    Duration wait = Duration.between(clock.instant(), until);
    return failed(job, feed, FetchResult.Failed.putOff(feed.url(), reason, wait));
  }

  private Refreshed failed(FetchJob job, FollowedFeed feed, FetchResult.Failed result) {
    records.reports().of(feed, result);
    return records.record(job, feed, digest.fetched(look(job, feed, 0), result));
  }

  /**
   * Records work that cannot be done as a failed fetch, so that the feed goes on with its next
   * work, and a request that waits for the feed is answered. Blocks.
   *
   * @param again the latest time at which the feed is fetched again
   * @throws RuntimeException if the store takes nothing for now
   */
  void giveUp(FetchJob job, Throwable cause, Instant again) {
    String reason = FailedWork.reason(cause);
    try {
      FollowedFeed feed = records.feed(job.feedId());
      FetchResult.Failed result = FetchResult.Failed.unprocessed(feed.url(), reason);
      records.record(job, feed, digest.fetched(look(job, feed, 0), result));
      records.reports().of(feed, result);
    } catch (RuntimeException | Error e) {
      if (StoreException.isGeneral(e)) {
        throw e;
      }
      // The failed part may be needed to record the failure, too.
      if (e != cause) {
        cause.addSuppressed(e);
      }
      records.abandon(job, again, reason);
    }
    records.reports().meters().workGivenUp(job.via());
  }

  /** When there may be room again. Not all at the same time. */
  Instant roomBy(long feedId) {
    long pause = NO_ROOM_PAUSE.toSeconds();
    return clock.instant().plusSeconds(pause + feedId % pause);
  }

  private static CompletableFuture<Refreshed> done(Refreshed refreshed) {
    return CompletableFuture.completedFuture(refreshed);
  }

  /** The failures of a fetch, of which no delivery is the cause. */
  private static CompletableFuture<Refreshed> withoutContent(CompletableFuture<Refreshed> fetch) {
    return fetch.exceptionally(failure -> failed(failure, false));
  }

  private static Refreshed failed(Throwable failure, boolean ofContent) {
    return new Refreshed.Failed(FailedWork.cause(failure), ofContent);
  }
}
