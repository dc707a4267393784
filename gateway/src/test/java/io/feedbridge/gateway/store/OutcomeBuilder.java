package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.SeenEntry;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Outcomes for tests: what is not named stays as the feed has it. */
public final class OutcomeBuilder {

  private final FollowedFeed feed;
  private final Instant at;
  private final List<SeenEntry> seen = new ArrayList<>();
  private final List<Update> updates = new ArrayList<>();
  private Position position;
  private String url;
  private Via via = Via.POLL;
  private FeedKind kind = FeedKind.FEED;
  private FeedState state = FeedState.ACTIVE;
  private @Nullable Body body;
  private @Nullable Feed document;
  private @Nullable Instant firstFetchAt;
  private @Nullable Instant nextFetchAt;
  private @Nullable Via retryVia;
  private FollowedFeed.Fetched fetched;
  private Validators validators;
  private Advertised advertised;
  private PollPace pace;
  private @Nullable ListedFeeds listed;

  private OutcomeBuilder(FollowedFeed feed, Instant at) {
    this.feed = feed;
    this.at = at;
    position = new Position(feed.id(), 0);
    url = feed.url();
    firstFetchAt = feed.firstFetchAt();
    nextFetchAt = at.plus(Duration.ofHours(1));
    fetched = feed.fetched();
    validators = feed.validators();
    advertised = feed.advertised();
    pace = feed.pace();
  }

  /** A fetch that found nothing new and stood for no work. */
  public static OutcomeBuilder of(FollowedFeed feed, Instant at) {
    return new OutcomeBuilder(feed, at);
  }

  /** The document is of this kind. */
  public OutcomeBuilder kind(FeedKind found) {
    kind = found;
    return this;
  }

  /** The document is a list of these feeds; the name of an included list ends with ".opml". */
  public OutcomeBuilder listing(String... urls) {
    listed =
        new ListedFeeds(
            Stream.of(urls)
                .map(url -> new ListedFeeds.Listed(url, null, url.endsWith(".opml")))
                .toList(),
            0);
    return this;
  }

  /** The feed's first fetch: its baseline. */
  public OutcomeBuilder baseline() {
    firstFetchAt = at;
    return this;
  }

  /** It was done for this work. */
  public OutcomeBuilder doing(Assignment assignment) {
    position = assignment.position();
    via = assignment.items().get(0).via();
    return this;
  }

  public OutcomeBuilder seen(String... ids) {
    for (String id : ids) {
      seen.add(new SeenEntry(id, "print of " + id, at));
    }
    return this;
  }

  public OutcomeBuilder seen(SeenEntry entry) {
    seen.add(entry);
    return this;
  }

  public OutcomeBuilder body(String bytes) {
    body = new Body("application/rss+xml", bytes.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return this;
  }

  /** A document of the feed was read; its entries are those of a baseline. */
  public OutcomeBuilder document(String title, Entry... entries) {
    document = Feed.bare(feed.topic(), title).withEntries(List.of(entries));
    return this;
  }

  /** A document of the feed was read that names this page as the feed's own, or none. */
  public OutcomeBuilder page(@Nullable String url) {
    List<Link> links =
        url == null ? List.of() : List.of(new Link(Link.ALTERNATE, url, null, null, null));
    document =
        new Feed(
            feed.topic(),
            "A feed",
            null,
            null,
            null,
            links,
            List.of(),
            List.of(),
            Hints.NONE,
            List.of());
    return this;
  }

  /** One more event, with this many new entries. */
  public OutcomeBuilder event(int entries) {
    return event(
        update(
            feed.topic(),
            IntStream.range(0, entries).mapToObj(i -> entry("entry-" + i, "text")).toList()));
  }

  /** One more event, with this many entries that were published at that time. */
  public OutcomeBuilder published(int entries, Instant when) {
    return event(
        update(
            feed.topic(),
            IntStream.range(0, entries).mapToObj(i -> entry("entry-" + i, "text", when)).toList()));
  }

  /** One more event, of a single entry that is this long. */
  public OutcomeBuilder longEvent(int bytes) {
    return event(update(feed.topic(), List.of(entry("long", "x".repeat(bytes)))));
  }

  public OutcomeBuilder event(Update update) {
    updates.add(update);
    return this;
  }

  public OutcomeBuilder url(String to) {
    url = to;
    return this;
  }

  public OutcomeBuilder nextFetchAt(@Nullable Instant when) {
    nextFetchAt = when;
    return this;
  }

  public OutcomeBuilder retryVia(Via retry) {
    retryVia = retry;
    return this;
  }

  public OutcomeBuilder state(FeedState became) {
    state = became;
    return this;
  }

  public OutcomeBuilder fetched(FollowedFeed.Fetched record) {
    fetched = record;
    return this;
  }

  public OutcomeBuilder validators(Validators found) {
    validators = found;
    return this;
  }

  public OutcomeBuilder advertised(Advertised found) {
    advertised = found;
    return this;
  }

  public OutcomeBuilder via(Via how) {
    via = how;
    return this;
  }

  public OutcomeBuilder pace(PollPace found) {
    pace = found;
    return this;
  }

  public Outcome build() {
    FollowedFeed after =
        new FollowedFeed(
            feed.id(),
            feed.topic(),
            url,
            kind,
            state,
            feed.followed(),
            feed.tried(),
            feed.head(),
            firstFetchAt,
            nextFetchAt,
            retryVia,
            fetched,
            validators,
            advertised,
            pace);
    return new Outcome(position, after, at, via, seen, body, document, null, updates, 0, listed);
  }

  public static Update update(String topic, List<Entry> entries) {
    return new Update(
        Feed.bare(topic, "A feed").withEntries(entries), List.of(), Status.of(topic), true);
  }

  public static Entry entry(String id, String text) {
    return entry(id, text, null);
  }

  private static Entry entry(String id, String text, @Nullable Instant published) {
    return new Entry(
        id,
        false,
        "Title of " + id,
        published,
        null,
        Content.text(text),
        null,
        List.of(),
        List.of(),
        List.of(),
        null,
        List.of(),
        List.of(),
        null,
        null);
  }
}
