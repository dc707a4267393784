package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.Hop;
import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Pace;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a topic as for the first time and says what there is, without following it. Safe for use
 * by several threads.
 */
public final class FirstLook {

  private static final int NOT_THERE = 0;

  private final Fetcher fetcher;
  private final Cadence cadence;
  private final Clock clock;

  /**
   * A look.
   *
   * @param fetcher with which it shares the bound on documents
   */
  public FirstLook(Fetcher fetcher, Cadence cadence, Clock clock) {
    this.fetcher = fetcher;
    this.cadence = cadence;
    this.clock = clock;
  }

  /**
   * What there is.
   *
   * @param code the HTTP status, if there was an answer
   * @param problem why it cannot be followed; absent where it can
   * @param url where it would be fetched
   * @param redirects on the way there, those to a page that led to it included
   * @param isDiscovered whether a page led to it
   * @param bytes of the document
   * @param kind of it
   * @param title of the feed, if it is one
   * @param entries that it has
   * @param repairs what had to be done to read it
   * @param retryAfter how long the origin wants to be left alone
   * @param nextPoll when it would be polled, if not pushed
   */
  public record Finding(
      @Nullable Integer code,
      @Nullable String problem,
      String url,
      List<Hop> redirects,
      boolean isDiscovered,
      int bytes,
      FeedKind kind,
      @Nullable String title,
      int entries,
      List<String> repairs,
      Validators validators,
      Pace.Asked asked,
      @Nullable Duration retryAfter,
      Advertised advertised,
      @Nullable Instant nextPoll) {}

  /** One look. Blocks. */
  public Finding at(String topic) {
    Documents.Held held = fetcher.documents().hold();
    try {
      FetchResult result = fetcher.fetch(unknown(topic), 0, true, held).join();
      CompletableFuture<Void> digestible = new CompletableFuture<>();
      held.whenDigestible(result.bytes(), () -> digestible.complete(null));
      digestible.join();
      return of(topic, result);
    } finally {
      held.letGo();
    }
  }

  private Finding of(String topic, FetchResult result) {
    if (result instanceof FetchResult.Fresh fresh) {
      return found(topic, fresh);
    }
    if (result instanceof FetchResult.Gone gone) {
      return nothing(topic, gone.code(), gone.message(), gone.way(), null);
    }
    if (result instanceof FetchResult.NoRoom noRoom) {
      return nothing(topic, null, noRoom.message(), nowhere(topic), null);
    }
    return result instanceof FetchResult.Failed failed
        ? nothing(
            topic, failed.code(), failed.message(), failed.way(), failed.retryAfter().orElse(null))
        : nothing(topic, null, "the fetch was cut off", nowhere(topic), null);
  }

  private static FetchResult.Way nowhere(String topic) {
    return FetchResult.Way.straight(topic, Duration.ZERO);
  }

  private static String url(String topic, FetchResult.Way way) {
    return way.isDiscovered() ? way.url() : topic;
  }

  private static List<Hop> redirects(FetchResult.Way way) {
    return Stream.concat(way.toPage().stream(), way.hops().stream()).toList();
  }

  private Finding found(String topic, FetchResult.Fresh fresh) {
    Optional<Feed> parsed = Optional.empty();
    String problem = null;
    try {
      parsed = Optional.of(new FeedParser().parse(fresh.body(), fresh.served()));
    } catch (FeedParseException e) {
      problem = e.notAFeed() ? null : e.getMessage();
    }
    FeedKind kind = parsed.isPresent() ? FeedKind.FEED : FeedKind.CONTENT;
    Pace.Asked asked = Planner.asked(parsed, fresh.way());
    String url = url(topic, fresh.way());
    Instant now = clock.instant();
    Duration first = cadence.after(Duration.ZERO, false, true, Pace.UNKNOWN, now);
    Duration floor = cadence.floor(kind);
    return new Finding(
        fresh.code(),
        problem,
        url,
        redirects(fresh.way()),
        fresh.way().isDiscovered(),
        fresh.body().length,
        kind,
        parsed.map(Feed::title).orElse(null),
        parsed.map(feed -> feed.entries().size()).orElse(NOT_THERE),
        parsed.map(Feed::repairs).orElse(List.of()),
        new Validators(fresh.etag(), fresh.lastModified(), Hashes.sha256(fresh.body())),
        asked,
        null,
        Advertisements.of(fresh, topic, url, parsed),
        cadence.next(now, first.compareTo(floor) < 0 ? floor : first, asked, url));
  }

  private static Finding nothing(
      String topic,
      @Nullable Integer code,
      String problem,
      FetchResult.Way way,
      @Nullable Duration retryAfter) {
    return new Finding(
        code,
        problem,
        url(topic, way),
        redirects(way),
        way.isDiscovered(),
        NOT_THERE,
        FeedKind.UNKNOWN,
        null,
        NOT_THERE,
        List.of(),
        Validators.NONE,
        Planner.asked(Optional.empty(), way),
        retryAfter,
        Advertised.NOTHING,
        null);
  }

  private static FollowedFeed unknown(String topic) {
    return new FollowedFeed(
        0,
        topic,
        topic,
        FeedKind.UNKNOWN,
        FeedState.NEW,
        true,
        false,
        0,
        null,
        null,
        null,
        new FollowedFeed.Fetched(
            null,
            null,
            null,
            Duration.ZERO,
            0,
            false,
            null,
            null,
            new FollowedFeed.Maintenance(null, 0, null)),
        Validators.NONE,
        Advertised.NOTHING,
        Pace.UNKNOWN);
  }
}
