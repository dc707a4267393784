package io.feedbridge.gateway.load;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.LaggardBuilder;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A data folder as a gateway leaves it that was stopped: written through the store's port, because
 * tens of thousands of registrations over HTTP would take longer than what the test is about.
 * Writes are pipelined: what returns nothing has only been begun, and {@link #flush} or {@link
 * #close} waits for it.
 */
public final class PreparedStore implements AutoCloseable {

  /** Writes that wait at once; well below the bound at which the store refuses. */
  private static final int AT_ONCE = 4_000;

  private static final int CHOICES = 1_000;
  private static final Duration LEASE = Duration.ofDays(10);

  private static final Duration LEASE_LEFT = Duration.ofDays(1);

  /** How long ago the gateway is said to have stopped. */
  static final Duration STOPPED = Duration.ofDays(3);

  /** So far off that no poll can stand in for a ping. */
  private static final Duration UNTIL_POLL = Duration.ofDays(30);

  private final Backend backend;
  private final Store store;
  private final Instant now = Instant.now();
  private final Semaphore room = new Semaphore(AT_ONCE);
  private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

  /** Opens the store in a folder. */
  public PreparedStore(Path data) {
    this(new SqliteBackend(data));
  }

  /** Opens a store, which is closed with this one. */
  PreparedStore(Backend backend) {
    this.backend = backend;
    store = backend.store();
  }

  /** A feed with an empty baseline. */
  FollowedFeed feed(String topic) {
    return feeds(List.of(topic), now.plus(UNTIL_POLL)).get(0);
  }

  /** Such feeds, none of which is polled by itself. */
  public List<FollowedFeed> feeds(List<String> topics) {
    return feeds(topics, now.plus(UNTIL_POLL));
  }

  /** Feeds whose polls became due just after the gateway stopped, days ago. */
  public List<FollowedFeed> overdue(List<String> topics) {
    return feeds(topics, now.minus(STOPPED));
  }

  /** Feeds that were read before, with a tag and a subscriber each; none is due soon. */
  void readBefore(List<String> topics, String etag, String callback) {
    for (String topic : topics) {
      begin(
          store
              .feeds()
              .follow(topic, now)
              .thenCompose(
                  feed ->
                      store
                          .feeds()
                          .record(
                              baseline(feed, now.plus(UNTIL_POLL))
                                  .validators(new Validators(etag, null, "unchanged"))
                                  .build())
                          .thenCompose(recorded -> requested(feed, callback))
                          .thenCompose(request -> store.subscriptions().confirm(request, now))));
    }
    flush();
    settle(feed -> List.of());
  }

  private List<FollowedFeed> feeds(List<String> topics, Instant nextPoll) {
    follow(topics, nextPoll);
    settle(feed -> List.of());
    return topics.stream().map(this::feedOf).toList();
  }

  /** Feeds that are followed at a hub, each with a lease that is to be renewed by now. */
  List<FollowedFeed> followed(List<String> topics, String hub) {
    follow(topics, now.plus(UNTIL_POLL));
    settle(feed -> List.of(following(feed, hub)));
    return topics.stream().map(this::feedOf).toList();
  }

  private UpstreamSubscription following(FollowedFeed feed, String hub) {
    return new UpstreamSubscription(
        0,
        feed.id(),
        UpstreamSubscription.Kind.WEBSUB,
        hub,
        feed.topic(),
        "token-" + feed.id(),
        "secret",
        UpstreamSubscription.State.ACTIVE,
        now.plus(LEASE_LEFT),
        now.minus(STOPPED),
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

  private void follow(List<String> topics, Instant nextPoll) {
    for (String topic : topics) {
      begin(
          store
              .feeds()
              .follow(topic, now)
              .thenCompose(feed -> store.feeds().record(baseline(feed, nextPoll).build())));
    }
    flush();
  }

  private OutcomeBuilder baseline(FollowedFeed feed, Instant nextPoll) {
    return OutcomeBuilder.of(feed, now).baseline().nextFetchAt(nextPoll);
  }

  private FollowedFeed feedOf(String topic) {
    return store.feeds().byTopic(topic).orElseThrow();
  }

  /** Adds a WebSub subscription that its callback has confirmed. */
  public void subscribe(FollowedFeed feed, String callback) {
    begin(
        requested(feed, callback)
            .thenCompose(request -> store.subscriptions().confirm(request, now)));
  }

  /** Adds a request that its callback has not confirmed yet. */
  void request(FollowedFeed feed, String callback) {
    begin(requested(feed, callback));
  }

  private CompletableFuture<Verification> requested(FollowedFeed feed, String callback) {
    Terms terms = new Terms(feed.topic(), Format.ATOM, null, "sha256", false, false, LEASE);
    return store
        .subscriptions()
        .request(Verification.Mode.SUBSCRIBE, feed.topic(), callback, terms, null, now);
  }

  /**
   * Appends events of one entry each to feeds and lets none reach any subscriber: everyone is a
   * laggard who is due at once.
   *
   * @param entries the ids for a feed
   */
  void missed(List<FollowedFeed> feeds, Function<FollowedFeed, List<String>> entries) {
    for (FollowedFeed feed : feeds) {
      OutcomeBuilder outcome = OutcomeBuilder.of(feed, now).nextFetchAt(now.plus(UNTIL_POLL));
      for (String entry : entries.apply(feed)) {
        outcome.event(
            OutcomeBuilder.update(
                feed.topic(), List.of(OutcomeBuilder.entry(entry, "Text of " + entry))));
      }
      begin(
          store
              .feeds()
              .record(outcome.build())
              .thenCompose(sequence -> store.rounds().open(feed.id(), now))
              .thenCompose(
                  round -> store.rounds().close(round.orElseThrow(), laggards(round.get()))));
    }
    flush();
  }

  private List<Laggard> laggards(Round round) {
    return store.subscriptions().ofFeed(round.feedId(), 0, Integer.MAX_VALUE).stream()
        .map(subscription -> LaggardBuilder.of(subscription, subscription.start(), now).build())
        .toList();
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

  /** Waits until all that was begun is written. */
  void flush() {
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
      backend.close();
    }
  }
}
