package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.ingest.digest.Advertisements;
import io.feedbridge.gateway.ingest.digest.Hashes;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.DocumentMemory;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.Journey;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.normalizer.Extension;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedFamily;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.Selected;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a topic as for the first time and reports the result, without following the topic. Safe
 * for use by several threads.
 */
public final class FirstLook {

  private final Fetcher fetcher;
  private final Origins origins;
  private final PollSchedule pollSchedule;
  private final Clock clock;

  /**
   * A look.
   *
   * @param fetcher with which it shares the bound on documents
   * @param origins their pauses and paces: a look at a host that is not to be asked fetches nothing
   */
  public FirstLook(Fetcher fetcher, Origins origins, PollSchedule pollSchedule, Clock clock) {
    this.fetcher = fetcher;
    this.origins = origins;
    this.pollSchedule = pollSchedule;
    this.clock = clock;
  }

  /**
   * The result of a look.
   *
   * @param document the document that would be followed
   * @param asked the polling hints of the document and its origin
   * @param nextPoll the time of the next poll, if the topic is not pushed; absent if the topic
   *     cannot be followed
   */
  public record Finding(
      Answer answer,
      Document document,
      PollPace.Asked asked,
      Advertised advertised,
      @Nullable Instant nextPoll) {}

  /**
   * The origin's answer.
   *
   * @param code the HTTP status, if there was an answer
   * @param problem the reason for which the topic cannot be followed; absent if it can
   * @param url the URL that would be fetched
   * @param redirects on the way to that URL, including the redirects to a page that led to it
   * @param retryAfter the pause that the origin asks for, or the rest of the pause that it asked
   *     for before
   */
  public record Answer(
      @Nullable Integer code,
      @Nullable String problem,
      String url,
      List<Hop> redirects,
      @Nullable Duration retryAfter) {}

  /**
   * The origin's document.
   *
   * @param bytes the length of the document
   * @param family of its format, if the document is a feed of a format of a family
   * @param title the title, if the document is a feed
   * @param generator the program that wrote the feed, if it says so
   * @param entries the number of entries
   * @param repairs the repairs that were needed to read the document
   * @param part the part that the topic selects, if it does
   */
  public record Document(
      FeedKind kind,
      int bytes,
      @Nullable FeedFamily family,
      @Nullable String title,
      @Nullable String generator,
      int entries,
      List<String> repairs,
      Validators validators,
      @Nullable Selected part) {

    private static final Document NONE =
        new Document(FeedKind.UNKNOWN, 0, null, null, null, 0, List.of(), Validators.NONE, null);
  }

  /** Takes one look at a topic. Blocks. */
  public Finding at(String topic) {
    Origin origin = Origin.of(TopicUrl.document(topic));
    return origins
        .early(origin, origins.sites()::look)
        .map(early -> later(topic, early))
        .orElseGet(() -> fetched(topic, origin));
  }

  private Finding later(String topic, SiteGate.Wait wait) {
    String reason = wait.reason() + " until " + wait.at().truncatedTo(ChronoUnit.SECONDS);
    Duration rest = Duration.between(clock.instant(), wait.at());
    return of(topic, FetchResult.Failed.putOff(topic, reason, rest));
  }

  private Finding fetched(String topic, Origin origin) {
    DocumentMemory.Held held = fetcher.documents().hold();
    Instant sentAt = clock.instant();
    try {
      FetchResult result =
          fetcher
              .fetch(
                  unknown(topic),
                  Optional.empty(),
                  0,
                  true,
                  held,
                  new Journey(origins, origin, origins.sites()::look, sentAt))
              .join();
      CompletableFuture<Void> digestible = new CompletableFuture<>();
      held.whenDigestible(result.bytes(), () -> digestible.complete(null));
      digestible.join();
      origins.learn(origin, result, sentAt);
      return of(topic, new Parts(result).of(topic));
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
    if (result instanceof FetchResult.TooOften tooOften) {
      return nothing(topic, null, tooOften.message(), nowhere(topic), null);
    }
    if (result instanceof FetchResult.HeldBack heldBack) {
      return later(topic, heldBack.told());
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
    FeedFamily family = null;
    String problem = null;
    if (fresh.part() == null) {
      try {
        FeedParser parser = new FeedParser();
        parsed = Optional.of(parser.parse(fresh.body(), fresh.served()));
        family = parser.family(fresh.body(), fresh.served());
      } catch (FeedParseException e) {
        problem = e.notAFeed() ? null : e.getMessage();
      }
    }
    FeedKind kind = parsed.isPresent() ? FeedKind.FEED : FeedKind.CONTENT;
    PollPace.Asked asked = PollSchedule.asked(parsed, fresh.way());
    String url = url(topic, fresh.way());
    Instant now = clock.instant();
    Duration first = pollSchedule.after(Duration.ZERO, false, true, PollPace.UNKNOWN, now);
    Duration floor = pollSchedule.floor(kind);
    return new Finding(
        new Answer(fresh.code(), problem, url, redirects(fresh.way()), null),
        new Document(
            kind,
            fresh.body().length,
            family,
            parsed.map(Feed::title).orElse(null),
            parsed.flatMap(FirstLook::generator).orElse(null),
            parsed.map(feed -> feed.entries().size()).orElse(0),
            parsed.map(Feed::repairs).orElse(List.of()),
            new Validators(fresh.etag(), fresh.lastModified(), Hashes.sha256(fresh.body())),
            fresh.part()),
        asked,
        Advertisements.of(fresh, topic, url, parsed),
        pollSchedule.next(now, first.compareTo(floor) < 0 ? floor : first, asked, url));
  }

  private static Optional<String> generator(Feed feed) {
    return feed.extensions().stream()
        .filter(extension -> extension.name().equals("atom:generator"))
        .findFirst()
        .map(Extension::text);
  }

  private static Finding nothing(
      String topic,
      @Nullable Integer code,
      String problem,
      FetchResult.Way way,
      @Nullable Duration retryAfter) {
    return new Finding(
        new Answer(code, problem, url(topic, way), redirects(way), retryAfter),
        Document.NONE,
        PollSchedule.asked(Optional.empty(), way),
        Advertised.NOTHING,
        null);
  }

  private static FollowedFeed unknown(String topic) {
    return new FollowedFeed(
        0,
        topic,
        TopicUrl.document(topic),
        FeedKind.UNKNOWN,
        FeedState.NEW,
        true,
        false,
        0,
        null,
        null,
        null,
        FollowedFeed.Fetched.NEVER,
        Validators.NONE,
        Advertised.NOTHING,
        PollPace.UNKNOWN);
  }
}
