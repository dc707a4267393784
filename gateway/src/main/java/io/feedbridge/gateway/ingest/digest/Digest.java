package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.TopicFormat;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.websub.TopicUrl;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The step from bytes to changes of the store: normalize, compare with the entries seen, select the
 * new entries. Writes nothing itself. Blocks; safe for any number of threads.
 */
public final class Digest {

  private final Store store;
  private final Documents documents;
  private final NewEvents events;
  private final QuietOutcomes quiet;
  private final FreshFetch fresh;

  public Digest(Store store, PollSchedule pollSchedule) {
    this.store = store;
    Planner planner = new Planner(pollSchedule, store.upstreamSubscriptions());
    documents = new Documents(store);
    events = new NewEvents(store);
    quiet = new QuietOutcomes(planner);
    fresh = new FreshFetch(documents, planner, quiet, events);
  }

  /**
   * Digests a believed delivery. Its entries are never part of a feed's baseline (rule L11).
   *
   * @return empty if a fetch must tell instead
   */
  public Optional<Outcome> fat(
      Position position, FollowedFeed feed, WorkItem.Fat fat, Instant now) {
    boolean isPart = TopicUrl.selection(feed.topic()).isPresent();
    // A part of a list would say that the rest of its feeds left it.
    if (!feed.hasBaseline() || feed.kind() == FeedKind.UNKNOWN || isPart || feed.isList()) {
      return Optional.empty();
    }
    Fault.DIGEST.in(feed.topic());
    boolean isFeed = feed.kind() == FeedKind.FEED;
    Body body = new Body(fat.contentType(), fat.body());
    Optional<FeedDiff> read =
        isFeed ? documents.diff(feed, body, SeenEntries.Source.PUSH, now) : Optional.empty();
    if (isFeed && read.isEmpty()) {
      return Optional.empty();
    }
    if (read.filter(diff -> diff.cut() != null).isPresent()) {
      // The delivery breaks off.
      return Optional.empty();
    }
    EntryDiff.Diff diff = read.map(FeedDiff::diff).orElse(FreshFetch.NOTHING);
    // Only a fetch brings the whole bytes of a feed; of anything else the delivery is the whole.
    Validators validators =
        isFeed ? feed.validators() : new Validators(null, null, Hashes.sha256(fat.body()));
    boolean bytesChanged =
        !isFeed && !Objects.equals(validators.bodyHash(), feed.validators().bodyHash());
    FollowedFeed after = after(feed, fat, read, validators, now);
    Optional<Feed> fields =
        read.map(FeedDiff::feed).map(document -> events.pushedFields(after, document));
    Slices.Cut cut = events.of(after, fields, diff, bytesChanged, bytesChanged);
    return Optional.of(
        new Outcome(
            position,
            after,
            now,
            fat.via(),
            diff.toRemember(),
            bytesChanged ? body : null,
            fields.orElse(null),
            null,
            cut.updates(),
            cut.bytes(),
            null));
  }

  /** The feed after a delivery. */
  private FollowedFeed after(
      FollowedFeed feed,
      WorkItem.Fat fat,
      Optional<FeedDiff> read,
      Validators validators,
      Instant now) {
    boolean isFeed = read.isPresent();
    EntryDiff.Diff diff = read.map(FeedDiff::diff).orElse(FreshFetch.NOTHING);
    FollowedFeed.Fetched before = feed.fetched();
    boolean refresh = isFeed && store.subscriptions().anyRaw(feed.id());
    // A hub may deliver in another format than that of the topic.
    TopicFormat format =
        before.format() == null
            ? TopicFormat.of(read.map(FeedDiff::family).orElse(null), fat.contentType())
            : before.format();
    return Changes.of(feed)
        .fetched(
            new FollowedFeed.Fetched(
                    Texts.title(read.map(FeedDiff::feed), before),
                    before.code(),
                    "%d bytes delivered by push: %s"
                        .formatted(fat.body().length, Texts.counts(diff)),
                    before.period(),
                    before.failures(),
                    before.generatedIds() || read.map(FeedDiff::anyGeneratedId).orElse(false),
                    before.lastFetch(),
                    now,
                    Upkeep.pushed(before.maintenance(), diff.fresh().size()),
                    before
                        .standing()
                        .after(
                            diff.fresh().size(),
                            diff.renamed().size(),
                            before.standing().repaired()))
                .in(format, isFeed ? null : before.noFeed())
                .brokenOff(before.partial()))
        .pace(
            diff.fresh().isEmpty()
                ? feed.pace()
                : Rhythm.after(feed.pace(), diff.fresh().size(), now))
        .nextFetch(refresh ? now : feed.nextFetchAt(), refresh ? fat.via() : feed.retryVia())
        .validators(validators)
        .build();
  }

  /** The outcome of work for a feed that is followed no more: the work is removed unprocessed. */
  public Outcome unwanted(Look look) {
    return QuietOutcomes.unwanted(look);
  }

  /** Digests a fetch, whatever came of it. */
  public Outcome fetched(Look look, FetchResult result) {
    return result instanceof FetchResult.Fresh document
        ? fresh.of(look, document)
        : quiet.of(look, result);
  }
}
