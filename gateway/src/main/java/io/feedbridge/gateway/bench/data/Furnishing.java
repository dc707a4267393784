package io.feedbridge.gateway.bench.data;

import io.feedbridge.gateway.offline.OfflineStore;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Puts feeds and subscribers into a store through its port, before a gateway starts on it: a
 * million registrations over HTTP would take longer than the measurement. Writes are pipelined;
 * {@link #close} waits for the last of them.
 */
public final class Furnishing implements AutoCloseable {

  /** Writes that wait at once; well below the bound at which the store refuses. */
  private static final int AT_ONCE = 4_000;

  private static final int CHOICES = 1_000;
  private static final Duration LEASE = Duration.ofDays(10);

  /** The time until the next poll: so long that no poll stands in for a ping. */
  private static final Duration UNTIL_POLL = Duration.ofDays(30);

  private final OfflineStore offline;
  private final Store store;
  private final Instant now;
  private long entries;
  private final Semaphore room = new Semaphore(AT_ONCE);
  private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

  public Furnishing(StorePlace place, Clock clock) {
    offline =
        place.url() == null
            ? OfflineStore.open(place.data())
            : OfflineStore.open(place.url(), place.data());
    store = offline.store();
    now = clock.instant();
  }

  /** Feeds that have been read once and had no entry then. */
  public List<FollowedFeed> feeds(List<String> topics) {
    feeds(topics, topic -> now.plus(UNTIL_POLL));
    settle(feed -> List.of());
    return read(topics);
  }

  /** Feeds that are followed at a hub, which signs with {@link Secrets} of the feed's place. */
  public List<FollowedFeed> pushed(List<String> topics, String hub) {
    feeds(topics, topic -> now.plus(UNTIL_POLL));
    List<Long> ids = read(topics).stream().map(FollowedFeed::id).toList();
    settle(feed -> List.of(following(feed, hub, ids.indexOf(feed.id()))));
    return read(topics);
  }

  /**
   * Feeds that are polled once in each period and answered that they have not been modified: one
   * after the other, so that the last one is due at its end.
   */
  public List<FollowedFeed> silent(List<String> topics, Instant start, Duration period) {
    for (int i = 0; i < topics.size(); i++) {
      Instant due = start.plus(period.multipliedBy(i + 1L).dividedBy(topics.size()));
      begin(
          store
              .feeds()
              .follow(topics.get(i), now)
              .thenCompose(feed -> store.feeds().record(silent(feed, due, period))));
    }
    flush();
    settle(feed -> List.of());
    return read(topics);
  }

  private void feeds(List<String> topics, Function<String, Instant> nextPoll) {
    for (String topic : topics) {
      begin(
          store
              .feeds()
              .follow(topic, now)
              .thenCompose(feed -> store.feeds().record(baseline(feed, nextPoll.apply(topic)))));
    }
    flush();
  }

  private List<FollowedFeed> read(List<String> topics) {
    return topics.stream().map(topic -> store.feeds().byTopic(topic).orElseThrow()).toList();
  }

  private Outcome baseline(FollowedFeed feed, Instant nextPoll) {
    return baseline(feed, nextPoll, feed.validators(), feed.pace());
  }

  private Outcome silent(FollowedFeed feed, Instant due, Duration period) {
    return baseline(
        feed,
        due,
        new Validators("\"v1\"", null, Secrets.of(feed.id())),
        feed.pace().every(period).planned(due, null));
  }

  private Outcome baseline(
      FollowedFeed feed, Instant nextPoll, Validators validators, PollPace pace) {
    FollowedFeed after =
        new FollowedFeed(
            feed.id(),
            feed.topic(),
            feed.url(),
            FeedKind.FEED,
            FeedState.ACTIVE,
            feed.followed(),
            feed.tried(),
            feed.head(),
            now,
            nextPoll,
            null,
            feed.fetched(),
            validators,
            feed.advertised(),
            pace);
    return new Outcome(
        new Position(feed.id(), 0), after, now, Via.POLL, List.of(), null, null, List.of());
  }

  /** The last segment of the callback that a hub calls for a feed. */
  public static String token(int feed) {
    return "bench-" + Secrets.of(feed);
  }

  private UpstreamSubscription following(FollowedFeed feed, String hub, int place) {
    return new UpstreamSubscription(
        0,
        feed.id(),
        UpstreamSubscription.Kind.WEBSUB,
        hub,
        feed.topic(),
        token(place),
        Secrets.of(place),
        UpstreamSubscription.State.ACTIVE,
        now.plus(LEASE),
        now.plus(LEASE.dividedBy(2)),
        0,
        null);
  }

  /** Chooses for every feed how it is followed, as the gateway does after the first fetch. */
  private void settle(Function<FollowedFeed, List<UpstreamSubscription>> begun) {
    UpstreamSubscriptions upstreamSubscriptions = store.upstreamSubscriptions();
    List<UpstreamSubscriptions.Choice> open = upstreamSubscriptions.toChoose(CHOICES);
    while (!open.isEmpty()) {
      open.forEach(
          choice ->
              begin(upstreamSubscriptions.choose(choice, begun.apply(choice.feed()), List.of())));
      flush();
      open = upstreamSubscriptions.toChoose(CHOICES);
    }
  }

  /** The store, which {@link #close} closes. */
  public Store store() {
    return store;
  }

  /** Adds an event of a feed with entries of these texts. */
  public void event(FollowedFeed feed, List<String> texts) {
    List<Entry> fresh = texts.stream().map(this::entry).toList();
    Update update =
        new Update(
            Feed.bare(feed.topic(), "A feed").withEntries(fresh),
            List.of(),
            feed.status(),
            true,
            false);
    begin(
        store
            .feeds()
            .record(
                new Outcome(
                    new Position(feed.id(), 0),
                    feed,
                    now,
                    Via.POLL,
                    List.of(),
                    null,
                    null,
                    List.of(update))));
  }

  private Entry entry(String text) {
    long number = entries++;
    return new Entry(
        "urn:bench:" + number,
        false,
        "Entry " + number,
        now,
        now,
        Content.html("<p>" + text + "</p>"),
        null,
        List.of(new Link("alternate", "https://bench.example/" + number, null, null, null)),
        List.of(),
        List.of(),
        null,
        List.of(),
        List.of(),
        "en",
        null);
  }

  /** Adds a WebSub subscription that its callback has confirmed. */
  public void webSub(FollowedFeed feed, String callback, @Nullable String secret) {
    Terms terms = new Terms(feed.topic(), Format.ATOM, secret, "sha256", false, false, LEASE);
    begin(
        store
            .subscriptions()
            .request(Verification.Mode.SUBSCRIBE, feed.topic(), callback, terms, null, now)
            .thenCompose(request -> store.subscriptions().confirm(request, now)));
  }

  /** Adds an rssCloud aggregator whose handler has passed its test. */
  public void rssCloud(FollowedFeed feed, String callback) {
    Terms terms = new Terms(feed.topic(), Format.LIGHT, null, "sha256", true, false, LEASE);
    begin(store.subscriptions().register(feed.id(), callback, terms, now));
  }

  /** Adds an endpoint of one feed that is verified. */
  public void webhook(FollowedFeed feed, String url, int number) {
    Webhook.Terms terms = new Webhook.Terms(url, List.of(feed.topic()), null, null);
    begin(store.webhooks().create(terms, Secrets.of(number), Secrets.ofWebhook(number), true, now));
  }

  private void begin(CompletableFuture<?> write) {
    room.acquireUninterruptibly();
    var unused =
        write.whenComplete(
            (done, failure) -> {
              if (failure != null) {
                failed.set(failure);
              }
              room.release();
            });
  }

  /** Waits until all writes are on disk. */
  public void flush() {
    room.acquireUninterruptibly(AT_ONCE);
    room.release(AT_ONCE);
    Throwable failure = failed.get();
    if (failure != null) {
      throw new IllegalStateException("the store could not be prepared", failure);
    }
  }

  @Override
  public void close() {
    try {
      flush();
    } finally {
      offline.close();
    }
  }
}
