package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.SeenEntry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * From bytes to what changes in the store: normalize, compare with the entries seen, decide what is
 * news. Writes nothing itself.
 */
final class Digest {

  /** Failures in a row after which a feed counts as being in error. */
  private static final int FAILURES_TO_ERROR = 3;

  private static final int NOT_MODIFIED = 304;
  private static final int GONE = 410;

  private final Store store;
  private final Cadence cadence;
  private final FeedParser parser = new FeedParser();

  Digest(Store store, Cadence cadence) {
    this.store = store;
    this.cadence = cadence;
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
    Optional<Feed> parsed =
        isFeed ? parse(fat.body(), fat.contentType(), feed.url()) : Optional.empty();
    if (isFeed && parsed.isEmpty()) {
      return Optional.empty();
    }
    // Only a fetch brings the whole bytes of a feed; of anything else the delivery is the whole.
    boolean refresh = isFeed && store.subscriptions().anyRaw(feed.id());
    EntryDiff.Diff diff = diff(feed, parsed);
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
                    before.generatedIds() || parsed.map(Feed::anyGeneratedId).orElse(false),
                    before.lastFetch(),
                    now,
                    counted(before.maintenance(), diff.fresh().size())))
            .nextFetch(refresh ? now : feed.nextFetchAt(), refresh ? fat.via() : feed.retryVia())
            .validators(isFeed ? feed.validators() : new Validators(null, null, hash))
            .build();
    return Optional.of(
        new Outcome(
            position,
            after,
            now,
            fat.via(),
            diff.toRemember(),
            bytesChanged ? new Body(fat.contentType(), fat.body()) : null,
            updates(after, parsed, diff, bytesChanged, bytesChanged)));
  }

  /** Digests a fetch, whatever came of it. */
  Outcome fetched(Position position, FollowedFeed feed, FetchResult result, Via via, Instant now) {
    if (result instanceof FetchResult.Fresh fresh) {
      return fresh(position, feed, fresh, via, now);
    }
    if (result instanceof FetchResult.NotModified same) {
      String message = "not modified, asked in " + seconds(same.took());
      return unchanged(position, feed, NOT_MODIFIED, message, feed.validators(), via, now);
    }
    if (result instanceof FetchResult.Gone) {
      FollowedFeed.Fetched fetched =
          failed(feed.fetched(), GONE, "the origin says that it is gone", 0, now);
      FollowedFeed gone =
          Changes.of(feed).state(FeedState.GONE).fetched(fetched).nextFetch(null, null).build();
      return new Outcome(position, gone, now, via, List.of(), null, List.of());
    }
    if (result instanceof FetchResult.Failed failed) {
      return failure(
          position, feed, failed.code(), failed.message(), failed.retryAfter(), via, now);
    }
    throw new IllegalArgumentException("nothing came of the fetch: " + result);
  }

  private Outcome fresh(
      Position position, FollowedFeed feed, FetchResult.Fresh fetch, Via via, Instant now) {
    String hash = Hashes.sha256(fetch.body());
    Validators validators = new Validators(fetch.etag(), fetch.lastModified(), hash);
    if (feed.hasBaseline() && hash.equals(feed.validators().bodyHash())) {
      String message =
          "%d bytes fetched in %s: the same".formatted(fetch.body().length, seconds(fetch.took()));
      return unchanged(position, feed, fetch.code(), message, validators, via, now);
    }
    Optional<Feed> parsed;
    try {
      parsed =
          Optional.of(
              parser.parse(
                  fetch.body(), fetch.contentType(), Urls.base(fetch.finalUrl(), feed.topic())));
    } catch (FeedParseException e) {
      if (feed.kind() == FeedKind.FEED) {
        return failure(
            position,
            feed,
            fetch.code(),
            String.valueOf(e.getMessage()),
            Optional.empty(),
            via,
            now);
      }
      parsed = Optional.empty();
    }
    FeedKind kind = parsed.isPresent() ? FeedKind.FEED : FeedKind.CONTENT;
    // Entries that were there when following began are news to nobody.
    boolean baseline = !feed.hasBaseline() || feed.kind() != kind;
    EntryDiff.Diff diff = diff(feed, parsed);
    int news = baseline ? 0 : diff.fresh().size();
    boolean found = news > 0 || (!baseline && parsed.isEmpty());
    FollowedFeed.Fetched before = feed.fetched();
    Duration period = cadence.after(before.period(), found, !feed.hasBaseline());
    FollowedFeed after =
        Changes.of(feed)
            .kind(kind)
            .state(FeedState.ACTIVE)
            .firstFetch(feed.firstFetchAt() == null ? now : feed.firstFetchAt())
            .fetched(
                new FollowedFeed.Fetched(
                    title(parsed, before),
                    fetch.code(),
                    "%d bytes fetched in %s: %d new entries"
                        .formatted(fetch.body().length, seconds(fetch.took()), news),
                    period,
                    0,
                    parsed.map(Feed::anyGeneratedId).orElse(false),
                    now,
                    now,
                    counted(before.maintenance(), news)))
            .nextFetch(next(feed, period, via, now), null)
            .validators(validators)
            .advertised(Advertisements.of(fetch, feed.topic(), parsed))
            .build();
    // After a ping changed bytes alone are news to some; found by a poll, only those of what is no
    // feed.
    boolean bytesAreNews = via.isPing() || parsed.isEmpty();
    List<Update> updates = baseline ? List.of() : updates(after, parsed, diff, true, bytesAreNews);
    return new Outcome(
        position,
        after,
        now,
        via,
        diff.toRemember(),
        new Body(fetch.contentType(), fetch.body()),
        updates);
  }

  private Outcome unchanged(
      Position position,
      FollowedFeed feed,
      int code,
      String message,
      Validators validators,
      Via via,
      Instant now) {
    FollowedFeed.Fetched before = feed.fetched();
    Duration period = cadence.after(before.period(), false, !feed.hasBaseline());
    FollowedFeed after =
        Changes.of(feed)
            .state(FeedState.ACTIVE)
            .firstFetch(feed.firstFetchAt() == null ? now : feed.firstFetchAt())
            .fetched(
                new FollowedFeed.Fetched(
                    before.title(),
                    code,
                    message,
                    period,
                    0,
                    before.generatedIds(),
                    now,
                    before.lastParse(),
                    before.maintenance()))
            .nextFetch(next(feed, period, via, now), null)
            .validators(validators)
            .build();
    return new Outcome(position, after, now, via, List.of(), null, List.of());
  }

  private Outcome failure(
      Position position,
      FollowedFeed feed,
      @Nullable Integer code,
      String message,
      Optional<Duration> retryAfter,
      Via via,
      Instant now) {
    FollowedFeed.Fetched before = feed.fetched();
    int failures = before.failures() + 1;
    boolean pinged = via.isPing();
    FollowedFeed after =
        Changes.of(feed)
            .state(failures >= FAILURES_TO_ERROR ? FeedState.ERROR : feed.state())
            .fetched(failed(before, code, message, failures, now))
            .nextFetch(
                cadence.afterFailure(now, before.period(), failures, pinged, retryAfter),
                pinged ? via : null)
            .build();
    return new Outcome(position, after, now, via, List.of(), null, List.of());
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
        before.maintenance());
  }

  /** The backup poll keeps its own pace, so that pushes cannot starve it (DESIGN §5). */
  private Instant next(FollowedFeed feed, Duration period, Via via, Instant now) {
    boolean pushed =
        store.followings().ofFeed(feed.id()).stream()
            .map(Following::state)
            .anyMatch(Following.State::isLive);
    if (!pushed) {
      return now.plus(period);
    }
    Instant planned = feed.nextFetchAt();
    return via.isPing() && planned != null && planned.isAfter(now) && feed.retryVia() == null
        ? planned
        : now.plus(cadence.backup());
  }

  private Optional<Feed> parse(byte[] body, @Nullable String contentType, String url) {
    try {
      return Optional.of(parser.parse(body, contentType, URI.create(url)));
    } catch (FeedParseException unreadable) {
      return Optional.empty();
    }
  }

  private EntryDiff.Diff diff(FollowedFeed feed, Optional<Feed> parsed) {
    if (parsed.isEmpty()) {
      return new EntryDiff.Diff(List.of(), List.of(), List.of());
    }
    List<String> ids = parsed.get().entries().stream().map(Entry::id).distinct().toList();
    Map<String, SeenEntry> seen = store.feeds().seen(feed.id(), ids);
    return EntryDiff.of(parsed.get(), seen::get);
  }

  /**
   * The events to append.
   *
   * @param bytesAreNews whether changed bytes alone make an event
   */
  private static List<Update> updates(
      FollowedFeed feed,
      Optional<Feed> parsed,
      EntryDiff.Diff diff,
      boolean bytesChanged,
      boolean bytesAreNews) {
    boolean entriesAreNews = !diff.fresh().isEmpty() || !diff.changed().isEmpty();
    if (!entriesAreNews && !(bytesChanged && bytesAreNews)) {
      return List.of();
    }
    Feed fields =
        parsed
            .orElseGet(() -> Feed.bare(feed.topic(), feed.fetched().title()))
            .withEntries(List.of());
    return Slices.of(fields, diff.fresh(), diff.changed(), feed.status(), bytesChanged);
  }

  private static @Nullable String title(Optional<Feed> parsed, FollowedFeed.Fetched before) {
    return parsed.map(Feed::title).orElse(before.title());
  }

  private static FollowedFeed.Maintenance counted(FollowedFeed.Maintenance before, int fresh) {
    return new FollowedFeed.Maintenance(
        before.at(), before.entriesSince() + fresh, before.velocity());
  }

  private static String seconds(Duration took) {
    return String.format(Locale.ROOT, "%.3fs", took.toNanos() / 1e9);
  }
}
