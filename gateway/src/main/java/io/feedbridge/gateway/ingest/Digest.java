package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Newest;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Pace;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.DiffParser;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.LanguageDetector;
import io.feedbridge.normalizer.Served;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * From bytes to what changes in the store: normalize, compare with the entries seen, decide what is
 * news. Writes nothing itself.
 */
final class Digest {

  /** Failures in a row after which a feed counts as being in error. */
  private static final int FAILURES_TO_ERROR = 3;

  /** Characters of a feed's title that are kept: each event and each status repeats it. */
  private static final int MAX_TITLE = 1_000;

  private static final EntryDiff.Diff NOTHING = new EntryDiff.Diff(List.of(), List.of(), List.of());

  private static final int NOT_MODIFIED = 304;

  private static final Duration HALF_A_MILLISECOND = Duration.ofNanos(500_000);

  private final Store store;
  private final Planner planner;
  private final DiffParser parser = new DiffParser();
  private final LanguageDetector languages = new LanguageDetector();

  Digest(Store store, Cadence cadence) {
    this.store = store;
    planner = new Planner(cadence, store.followings());
  }

  /**
   * Digests a believed delivery. Its entries are never part of a feed's baseline (rule L11).
   *
   * @return empty if a fetch must tell instead
   */
  Optional<Outcome> fat(Position position, FollowedFeed feed, WorkItem.Fat fat, Instant now) {
    if (!feed.hasBaseline() || feed.kind() == FeedKind.UNKNOWN) {
      return Optional.empty();
    }
    boolean isFeed = feed.kind() == FeedKind.FEED;
    Optional<FeedDiff> read = isFeed ? read(feed, fat) : Optional.empty();
    if (isFeed && read.isEmpty()) {
      return Optional.empty();
    }
    Optional<Feed> parsed = read.map(FeedDiff::feed);
    // Only a fetch brings the whole bytes of a feed; of anything else the delivery is the whole.
    boolean refresh = isFeed && store.subscriptions().anyRaw(feed.id());
    EntryDiff.Diff diff = read.map(FeedDiff::diff).orElse(NOTHING);
    String hash = Hashes.sha256(fat.body());
    boolean bytesChanged = !isFeed && !hash.equals(feed.validators().bodyHash());
    FollowedFeed.Fetched before = feed.fetched();
    FollowedFeed after =
        Changes.of(feed)
            .fetched(
                new FollowedFeed.Fetched(
                    title(parsed, before),
                    before.code(),
                    "%d bytes delivered by push: %d new entries"
                        .formatted(fat.body().length, diff.fresh().size()),
                    before.period(),
                    before.failures(),
                    before.generatedIds() || read.map(FeedDiff::anyGeneratedId).orElse(false),
                    before.lastFetch(),
                    now,
                    counted(before.maintenance(), diff.fresh().size()),
                    before
                        .standing()
                        .after(
                            diff.fresh().size(),
                            diff.renamed().size(),
                            before.standing().repaired())))
            .pace(
                diff.fresh().isEmpty()
                    ? feed.pace()
                    : Rhythm.after(feed.pace(), diff.fresh().size(), now))
            .nextFetch(refresh ? now : feed.nextFetchAt(), refresh ? fat.via() : feed.retryVia())
            .validators(isFeed ? feed.validators() : new Validators(null, null, hash))
            .build();
    Optional<Feed> fields = parsed.map(document -> fields(after, document));
    return Optional.of(
        new Outcome(
            position,
            after,
            now,
            fat.via(),
            SeenEntries.toRemember(diff),
            bytesChanged ? new Body(fat.contentType(), fat.body()) : null,
            fields.orElse(null),
            updates(after, fields, diff, bytesChanged, bytesChanged)));
  }

  /**
   * What a fetch was made for.
   *
   * @param feed as it is now
   * @param polled whether the poll timer asked for it, alone or beside others
   * @param readers who are told of the feed, as the origin was told
   */
  record Look(
      Position position, FollowedFeed feed, Via via, boolean polled, long readers, Instant now) {

    private Outcome quiet(FollowedFeed after) {
      return new Outcome(position, after, now, via, List.of(), null, null, statusNews(feed, after));
    }
  }

  /** That a feed fails, is gone or is back is an event of its own, with nothing but the status. */
  private static List<Update> statusNews(FollowedFeed before, FollowedFeed after) {
    boolean known = before.hasBaseline() && before.state() != FeedState.NEW;
    return known && after.state() != before.state()
        ? List.of(
            Update.ofStatus(Feed.bare(after.topic(), after.fetched().title()), after.status()))
        : List.of();
  }

  /**
   * Nobody wants the feed any more: its work is done without being done. Whoever follows it again
   * before that is recorded finds it due.
   */
  Outcome unwanted(Position position, FollowedFeed feed, Via via, Instant now) {
    return new Look(position, feed, via, false, 0, now)
        .quiet(Changes.of(feed).nextFetch(now, null).build());
  }

  /** Digests a fetch, whatever came of it. */
  Outcome fetched(Look look, FetchResult result) {
    FollowedFeed feed = look.feed;
    if (result instanceof FetchResult.Fresh fresh) {
      return fresh(look, fresh);
    }
    if (result instanceof FetchResult.NotModified same) {
      String message = "not modified, asked in " + seconds(same.way().took());
      Pace.Asked asked = feed.pace().asked();
      Duration fresh = same.way().fresh();
      return unchanged(
          look,
          same.way(),
          new Answer(NOT_MODIFIED, message, fresh == null ? asked : asked.withFresh(fresh)),
          feed.validators(),
          feed.advertised());
    }
    if (result instanceof FetchResult.Gone gone) {
      FollowedFeed.Fetched fetched =
          failed(feed.fetched(), gone.code(), gone.message(), 0, look.now);
      return look.quiet(
          Changes.of(feed)
              .state(FeedState.GONE)
              .fetched(fetched)
              .pace(feed.pace().planned(null, null))
              .nextFetch(null, null)
              .build());
    }
    if (result instanceof FetchResult.Failed failed) {
      return failure(look, failed.code(), failed.message(), failed.retryAfter());
    }
    throw new IllegalArgumentException("nothing came of the fetch: " + result);
  }

  private Outcome fresh(Look look, FetchResult.Fresh fetch) {
    FollowedFeed feed = look.feed;
    String hash = Hashes.sha256(fetch.body());
    boolean wasFeed = feed.hasBaseline() && feed.kind() == FeedKind.FEED;
    // A baseline has all entries, also of a feed that was followed before.
    SeenEntries seen = new SeenEntries(store.feeds(), feed.id(), !wasFeed);
    Optional<FeedDiff> read;
    Optional<Feed> parsed;
    try {
      if (wasFeed && hash.equals(feed.validators().bodyHash())) {
        // The same entries, whatever they are.
        read = Optional.empty();
        parsed = Optional.of(parser.fields(fetch.body(), fetch.served()));
      } else {
        read = Optional.of(parser.parse(fetch.body(), fetch.served(), seen));
        parsed = read.map(FeedDiff::feed);
      }
    } catch (FeedParseException e) {
      if (feed.kind() == FeedKind.FEED) {
        return failure(look, fetch.code(), String.valueOf(e.getMessage()), Optional.empty());
      }
      read = Optional.empty();
      parsed = Optional.empty();
    }
    FeedKind kind = parsed.isPresent() ? FeedKind.FEED : FeedKind.CONTENT;
    Validators validators = new Validators(fetch.etag(), fetch.lastModified(), hash);
    // Even with the same bytes: the headers, too, say how the topic can be followed.
    Advertised advertised = Advertisements.of(fetch, feed.topic(), feed.url(), parsed);
    boolean sameKind = feed.kind() == kind;
    Pace.Asked asked = Planner.asked(parsed, fetch.way());
    if (feed.hasBaseline() && sameKind && hash.equals(feed.validators().bodyHash())) {
      String message =
          fetch.body().length + " bytes fetched in " + seconds(fetch.way().took()) + ": the same";
      return unchanged(
          look, fetch.way(), new Answer(fetch.code(), message, asked), validators, advertised);
    }
    // Entries that were there when following began are news to nobody; that the bytes of what was
    // no feed have changed is news to some, also where they are a feed now.
    boolean baseline = !feed.hasBaseline() || !sameKind;
    EntryDiff.Diff found = read.map(FeedDiff::diff).orElse(NOTHING);
    EntryDiff.Diff diff = baseline ? NOTHING : found;
    int news = diff.fresh().size();
    FollowedFeed.Fetched before = feed.fetched();
    Planner.Plan plan =
        planner.after(
            look,
            new Planner.Found(
                kind,
                asked,
                baseline ? found.fresh() : List.of(),
                news,
                new HashSet<>(seen.asked()).size(),
                news > 0 || (!baseline && parsed.isEmpty())));
    Planner.Moved moved = planner.moved(look, fetch.way());
    FollowedFeed after =
        Changes.of(feed)
            .kind(kind)
            .state(FeedState.ACTIVE)
            .firstFetch(feed.firstFetchAt() == null ? look.now : feed.firstFetchAt())
            .fetched(
                new FollowedFeed.Fetched(
                    title(parsed, before),
                    fetch.code(),
                    fetch.body().length
                        + " bytes fetched in "
                        + seconds(fetch.way().took())
                        + ": "
                        + news
                        + " new entries",
                    plan.period(),
                    0,
                    read.map(FeedDiff::anyGeneratedId).orElse(false),
                    look.now,
                    look.now,
                    Upkeep.after(before.maintenance(), news, look.now),
                    before
                        .standing()
                        .readBy(look.readers)
                        .after(
                            news,
                            diff.renamed().size(),
                            parsed.filter(f -> !f.repairs().isEmpty()).isPresent())))
            .nextFetch(plan.next(), null)
            .pace(plan.pace().movingTo(moved.moving()))
            .url(moved.url())
            .validators(at(moved, feed, validators))
            .advertised(advertised)
            .build();
    // After a ping changed bytes alone are news to some; found by a poll, only those of what is no
    // feed.
    boolean wasContent = feed.kind() == FeedKind.CONTENT;
    boolean bytesAreNews = look.via.isPing() || parsed.isEmpty() || wasContent;
    boolean first = !feed.hasBaseline() || feed.kind() == FeedKind.UNKNOWN;
    Optional<Feed> fields = parsed.map(document -> fields(after, document));
    List<Update> updates = new ArrayList<>(statusNews(feed, after));
    if (!first) {
      updates.addAll(updates(after, fields, diff, true, bytesAreNews));
    }
    return new Outcome(
        look.position,
        after,
        look.now,
        look.via,
        SeenEntries.toRemember(found),
        new Body(fetch.served().contentType(), fetch.body()),
        kept(fields, parsed, baseline),
        Upkeep.stale(before.maintenance(), seen.asked(), look.now),
        updates);
  }

  /** What an answer that brought nothing says beside that. */
  private record Answer(int code, String message, Pace.Asked asked) {}

  private Outcome unchanged(
      Look look, FetchResult.Way way, Answer answer, Validators validators, Advertised advertised) {
    FollowedFeed feed = look.feed;
    FollowedFeed.Fetched before = feed.fetched();
    Planner.Plan plan = planner.unchanged(look, answer.asked);
    Planner.Moved moved = planner.moved(look, way);
    return look.quiet(
        Changes.of(feed)
            .state(FeedState.ACTIVE)
            .firstFetch(feed.firstFetchAt() == null ? look.now : feed.firstFetchAt())
            .fetched(
                new FollowedFeed.Fetched(
                    before.title(),
                    answer.code,
                    answer.message,
                    plan.period(),
                    0,
                    before.generatedIds(),
                    look.now,
                    before.lastParse(),
                    Upkeep.after(before.maintenance(), 0, look.now),
                    before.standing().readBy(look.readers)))
            .nextFetch(plan.next(), plan.via())
            .pace(plan.pace().movingTo(moved.moving()))
            .url(moved.url())
            .validators(at(moved, feed, validators))
            .advertised(advertised)
            .build());
  }

  /** Where a feed moves to, nothing is known of it. */
  private static Validators at(Planner.Moved moved, FollowedFeed feed, Validators validators) {
    boolean conditional = moved.url().equals(feed.url()) || !feed.hasBaseline();
    return conditional ? validators : new Validators(null, null, validators.bodyHash());
  }

  private Outcome failure(
      Look look, @Nullable Integer code, String message, Optional<Duration> retryAfter) {
    FollowedFeed feed = look.feed;
    FollowedFeed.Fetched before = feed.fetched();
    int failures = before.failures() + 1;
    Planner.Plan plan = planner.failed(look, failures, retryAfter);
    // One that was gone is polled again now, and so is not gone any more.
    boolean error = failures >= FAILURES_TO_ERROR || feed.state() == FeedState.GONE;
    return look.quiet(
        Changes.of(feed)
            .state(error ? FeedState.ERROR : feed.state())
            .fetched(failed(before, code, message, failures, look.now))
            .nextFetch(plan.next(), plan.via())
            .pace(plan.pace())
            .build());
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
        before.standing());
  }

  private Optional<FeedDiff> read(FollowedFeed feed, WorkItem.Fat fat) {
    Served served = Served.at(URI.create(feed.url()), fat.contentType());
    try {
      SeenEntries seen = new SeenEntries(store.feeds(), feed.id(), false);
      return Optional.of(parser.parse(fat.body(), served, seen));
    } catch (FeedParseException unreadable) {
      return Optional.empty();
    }
  }

  /**
   * The events to append.
   *
   * @param read the document's fields, if it is a feed
   * @param bytesAreNews whether changed bytes alone make an event
   */
  private List<Update> updates(
      FollowedFeed feed,
      Optional<Feed> read,
      EntryDiff.Diff diff,
      boolean bytesChanged,
      boolean bytesAreNews) {
    boolean entriesAreNews = !diff.fresh().isEmpty() || !diff.changed().isEmpty();
    if (!entriesAreNews && !(bytesChanged && bytesAreNews)) {
      return List.of();
    }
    Feed fields = read.orElseGet(() -> Feed.bare(feed.topic(), feed.fetched().title()));
    // Told of news alone: it costs more than all else about an entry.
    List<Entry> fresh = languages.complete(diff.fresh());
    List<Entry> changed = languages.complete(diff.changed());
    return Slices.of(fields, fresh, changed, feed.status(), bytesChanged);
  }

  private static Feed fields(FollowedFeed feed, Feed document) {
    return Slices.fields(document, feed.topic(), feed.fetched().title());
  }

  /** What is kept of a document beside its events: the entries of a baseline are in none. */
  private @Nullable Feed kept(Optional<Feed> fields, Optional<Feed> document, boolean baseline) {
    if (!baseline || fields.isEmpty() || document.isEmpty()) {
      return fields.orElse(null);
    }
    List<Entry> newest = document.get().entries().stream().limit(Newest.KEPT).toList();
    return fields.get().withEntries(languages.complete(newest));
  }

  private static @Nullable String title(Optional<Feed> parsed, FollowedFeed.Fetched before) {
    return parsed.map(Feed::title).map(Digest::cut).orElse(before.title());
  }

  private static String cut(String title) {
    int length = Math.min(title.codePointCount(0, title.length()), MAX_TITLE);
    return title.substring(0, title.offsetByCodePoints(0, length));
  }

  private static FollowedFeed.Maintenance counted(FollowedFeed.Maintenance before, int fresh) {
    return new FollowedFeed.Maintenance(
        before.at(), before.entriesSince() + fresh, before.velocity());
  }

  /** Without a formatter, which costs more than one entry that is read: each fetch says this. */
  private static String seconds(Duration took) {
    return BigDecimal.valueOf(took.plus(HALF_A_MILLISECOND).toMillis(), 3).toPlainString() + "s";
  }
}
