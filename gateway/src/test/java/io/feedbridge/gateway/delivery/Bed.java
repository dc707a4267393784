package io.feedbridge.gateway.delivery;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.delivery.send.Bundle;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.delivery.send.NewsDocuments;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** The fan-out alone, over a real store and real sockets, on a clock that stands still. */
public final class Bed implements AutoCloseable {

  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  static final String HUB = "https://hub.example/hub";
  public static final BridgedUrls URLS = new BridgedUrls(URI.create("https://hub.example"));
  public static final NewsDocuments DOCUMENTS = new NewsDocuments(URLS);
  public static final String TOPIC = "https://feeds.example/feed.xml";

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int WRITES_AT_ONCE = 2_000;

  public final TurnedTimer timer;

  /** The events of the gateway that operators are told of. */
  public final List<Notice> notices = new CopyOnWriteArrayList<>();

  public final FakeSubscriber subscriber;
  public final HookedStore hooks;
  public final Store store;
  public final OutboundClient client;
  final Attempts attempts;

  /** Tasks of the fan-out (walks, steps of its pumps) that have ended. */
  final AtomicInteger tasksEnded = new AtomicInteger();

  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final boolean ownsSubscriber;
  private final ExecutorService commits = Executors.newFixedThreadPool(2);
  private final ExecutorService threads = Executors.newFixedThreadPool(Fanout.THREADS);
  private final BedStore place;
  private final BedStore.Opened opened;
  private final Fanout fanout;
  private final LogFollowers followers;
  public final Endpoints endpoints;
  private boolean stopped;
  private volatile boolean stopping;

  public Bed(Path data) {
    this(data, 32);
  }

  public Bed(Path data, int connectionsPerHost) {
    this(BedStore.in(data), new FakeSubscriber(), true, START, connectionsPerHost);
  }

  private Bed(
      BedStore place,
      FakeSubscriber subscriber,
      boolean ownsSubscriber,
      Instant now,
      int connectionsPerHost) {
    this.place = place;
    this.subscriber = subscriber;
    this.ownsSubscriber = ownsSubscriber;
    timer = new TurnedTimer(now);
    opened = place.open(commits);
    store = new Store(opened.database());
    hooks = new HookedStore(store);
    attempts = Attempts.inMemory(timer.clock());
    client =
        OutboundClient.start(
            1,
            ClientConfig.defaults(),
            AddressPolicy.allowing(TestGateway.LOOPBACK, TestGateway.LOOPBACK));
    fanout =
        new Fanout(
            hooks.store(),
            client,
            task ->
                threads.execute(
                    () -> {
                      task.run();
                      tasksEnded.incrementAndGet();
                    }),
            timer,
            new Random(1),
            new DeliveryReports(
                new Meters(meters, timer.clock()), attempts, activity(), Traces.off()),
            connectionsPerHost,
            URLS);
    followers = new LogFollowers(hooks.store(), threads, timer, new Random(1));
    endpoints = fanout.endpoints(followers, threads, threads);
  }

  public Bed started() {
    fanout.start();
    followers.start();
    endpoints.start();
    return this;
  }

  /** Another gateway on a copy of the data as a kill -9 would leave it now. */
  public Bed afterCrash(Path copy) {
    return new Bed(place.copy(copy), subscriber, false, timer.now(), 32);
  }

  /** Another gateway on the same data after this one was stopped. */
  public Bed afterStop() {
    return afterStop(Duration.ZERO);
  }

  /** The same after some time. */
  public Bed afterStop(Duration later) {
    stop();
    return new Bed(place, subscriber, false, timer.now().plus(later), 32);
  }

  // What there is to deliver.

  /** A feed whose baseline is recorded. */
  public long feed(String topic) {
    FollowedFeed feed = done(store.feeds().follow(topic, timer.now()));
    record(feed.id(), FeedKind.FEED, null);
    return feed.id();
  }

  /** A topic that is no feed. */
  public long content(String topic) {
    FollowedFeed feed = done(store.feeds().follow(topic, timer.now()));
    record(feed.id(), FeedKind.CONTENT, null);
    return feed.id();
  }

  /** Appends one event with a new entry for each id. */
  public long append(long feedId, String... entryIds) {
    return append(feedId, fresh(entryIds));
  }

  public long append(long feedId, Update update) {
    return record(feedId, FeedKind.FEED, update).get(0);
  }

  private List<Long> record(long feedId, FeedKind kind, @Nullable Update update) {
    FollowedFeed feed = store.feeds().byId(feedId).orElseThrow();
    FollowedFeed after =
        new FollowedFeed(
            feed.id(),
            feed.topic(),
            feed.url(),
            feed.firstFetchAt() == null ? kind : feed.kind(),
            FeedState.ACTIVE,
            true,
            true,
            feed.head(),
            timer.now(),
            null,
            null,
            feed.fetched(),
            feed.validators(),
            feed.advertised(),
            feed.pace());
    return done(
        store
            .feeds()
            .record(
                new Outcome(
                    new Position(feedId, 0),
                    after,
                    timer.now(),
                    Via.POLL,
                    List.of(),
                    null,
                    kind == FeedKind.FEED ? Feed.bare(TOPIC, "a feed") : null,
                    update == null ? List.of() : List.of(update))));
  }

  public static Update fresh(String... entryIds) {
    return new Update(
        Feed.bare(TOPIC, "a feed")
            .withEntries(Arrays.stream(entryIds).map(id -> entry(id, id)).toList()),
        List.of(),
        Status.of(TOPIC),
        false);
  }

  public static Entry entry(String id, String title) {
    return entry(id, title, null);
  }

  public static Entry entry(String id, String title, @Nullable Instant updated) {
    return new Entry(
        id, false, title, null, updated, null, null, List.of(), List.of(), List.of(), null,
        List.of(), List.of(), null, null);
  }

  // Who is to get it.

  public static Terms terms(Format format, @Nullable String secret) {
    return new Terms(TOPIC, format, secret, "sha256", false, false, Duration.ofDays(10));
  }

  /** An active WebSub subscription of a path of the subscriber; a second one renews. */
  public long subscribe(long feedId, String path) {
    return subscribe(feedId, subscriber.url(path), terms(Format.ATOM, null));
  }

  public long subscribe(long feedId, String callback, Terms terms) {
    subscribeAll(feedId, List.of(callback), terms);
    return idOf(feedId, callback);
  }

  public void subscribeAll(long feedId, List<String> callbacks, Terms terms) {
    String topic = store.feeds().byId(feedId).orElseThrow().topic();
    Verification.Mode mode = Verification.Mode.SUBSCRIBE;
    for (int from = 0; from < callbacks.size(); from += WRITES_AT_ONCE) {
      callbacks.subList(from, Math.min(callbacks.size(), from + WRITES_AT_ONCE)).stream()
          .map(
              callback ->
                  store
                      .subscriptions()
                      .request(mode, topic, callback, terms, null, timer.now())
                      .thenCompose(request -> store.subscriptions().confirm(request, timer.now())))
          .toList()
          .forEach(Bed::done);
    }
  }

  /** So many callbacks, numbered from 0. */
  List<String> callbacks(FakeSubscriber at, String name, int count) {
    List<String> callbacks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      callbacks.add(at.url(name + i));
    }
    return callbacks;
  }

  long idOf(long feedId, String callback) {
    return store.subscriptions().ofFeed(feedId, 0, Integer.MAX_VALUE).stream()
        .filter(subscription -> subscription.callback().equals(callback))
        .mapToLong(Subscription::id)
        .findFirst()
        .orElseThrow();
  }

  /** An rssCloud subscription. */
  public long register(long feedId, String path) {
    return register(feedId, path, terms(Format.LIGHT, null));
  }

  /** An rssCloud subscription that is told by a procedure. */
  public long register(long feedId, String path, Terms.Procedure procedure) {
    Terms plain = terms(Format.LIGHT, null);
    Terms terms =
        new Terms(
            plain.namedTopic(), Format.LIGHT, null, "", true, false, plain.lease(), procedure);
    return register(feedId, path, terms);
  }

  private long register(long feedId, String path, Terms terms) {
    return done(store.subscriptions().register(feedId, subscriber.url(path), terms, timer.now()))
        .id();
  }

  /** Has a subscription sent its last notifications again. */
  void replay(long subscription, int count) {
    done(fanout.replay(store.subscriptions().byId(subscription).orElseThrow(), count));
  }

  private ActivityLog activity() {
    ActivityLog activity = new ActivityLog(timer.clock());
    activity.onNotice(notices::add);
    return activity;
  }

  /** An endpoint that need not be verified, on all feeds. */
  public Webhook webhook(String url) {
    return webhook(new Webhook.Terms(url, List.of(), null, null));
  }

  /** An endpoint with these terms that need not be verified. */
  public Webhook webhook(Webhook.Terms terms) {
    return done(store
            .webhooks()
            .create(
                terms,
                "tag",
                WebhookSecret.make(WebhookSecret.Scheme.SHARED, new Random(1)).text(),
                true,
                timer.now()))
        .orElseThrow();
  }

  /** Deliveries to a path wait for what this is completed with. */
  public CompletableFuture<Response> gate(String path) {
    CompletableFuture<Response> gate = new CompletableFuture<>();
    subscriber.answer(path, request -> gate);
    return gate;
  }

  // What came of it.

  /** The event ids of what a path was sent, in order. */
  public List<Long> sent(String path) {
    return subscriber.received(path).stream().map(Bed::eventId).toList();
  }

  static long eventId(Request request) {
    return Long.parseLong(request.header(Bundle.EVENT_ID).orElseThrow());
  }

  public static String body(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }

  /** A row as it is on disk. */
  public record Row(
      long subscription,
      long cursor,
      @Nullable Long sentTo,
      int attempts,
      @Nullable Instant next,
      boolean inFlight) {}

  public List<Row> rows() {
    return query(
        "SELECT * FROM laggard ORDER BY subscription_id",
        row -> {
          Laggard.State state = Laggard.State.valueOf(row.getString("state"));
          boolean hasDocument = state == Laggard.State.FIXED || state == Laggard.State.IN_FLIGHT;
          long next = row.getLong("next_attempt_at");
          boolean rests = row.wasNull();
          return new Row(
              row.getLong("subscription_id"),
              row.getLong("cursor"),
              hasDocument ? row.getLong("document_end") : null,
              row.getInt("attempts"),
              rests ? null : Instant.ofEpochMilli(next),
              state == Laggard.State.IN_FLIGHT || state == Laggard.State.JUMPED);
        });
  }

  public Row row(long subscription) {
    return rows().stream()
        .filter(row -> row.subscription == subscription)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row of " + subscription));
  }

  /** Deliveries in a row that failed to a laggard; none under way is among them. */
  public int attempts(long subscription) {
    return rows().stream()
        .filter(row -> row.subscription == subscription && !row.inFlight)
        .mapToInt(Row::attempts)
        .findFirst()
        .orElse(0);
  }

  /** The checkpoints of the open rounds. */
  List<Long> checkpoints() {
    return query("SELECT checkpoint FROM round", row -> row.getLong(1));
  }

  /** Where a feed's last round ended. */
  long rounded(long feedId) {
    return query("SELECT rounded FROM feed WHERE id = " + feedId, row -> row.getLong(1)).get(0);
  }

  /** Hosts that are only probed, as operators see it. */
  public int openHosts() {
    return (int) meters.get("feedbridge.hosts.open").gauge().value();
  }

  /** Deliveries that were not begun because of that, as operators see it. */
  int heldBack() {
    return (int) meters.get("feedbridge.deliveries.held.back").counter().count();
  }

  /** Waits until the feed's round up to there is closed. */
  public void awaitRound(long feedId, long to) {
    until(() -> rounded(feedId) >= to && checkpoints().isEmpty());
  }

  /** The same while another feed's round is open. */
  void awaitRoundOf(long feedId, long to) {
    until(() -> rounded(feedId) >= to);
  }

  /**
   * Waits for a condition. What was set for a time that the clock had passed meanwhile is run, so
   * that it does not matter whether a test turned the clock a moment before or after. Between two
   * looks passes as long as the last one took: a look at ten thousand rows, each few milliseconds,
   * would take the machine from what it waits for.
   */
  public void until(Callable<Boolean> condition) {
    AtomicLong look = new AtomicLong();
    try {
      await()
          .pollInterval((count, before) -> Duration.ofNanos(look.get()).plusMillis(5))
          .atMost(PATIENCE)
          .until(
              () -> {
                long begun = System.nanoTime();
                timer.turn(Duration.ZERO);
                try {
                  return condition.call();
                } finally {
                  look.set(System.nanoTime() - begun);
                }
              });
    } catch (ConditionTimeoutException e) {
      List<Row> rows = rows();
      throw new AssertionError(
          "It did not happen. The clock is at %s, the first of %d rows are %s"
              .formatted(timer.now(), rows.size(), rows.subList(0, Math.min(5, rows.size()))),
          e);
    }
  }

  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> query(String sql, Reader<T> reader) {
    List<T> found = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(place.url());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        found.add(reader.read(row));
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return found;
  }

  public static <T> T done(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** What an operator can do to one that is behind. */
  boolean retry(long subscriptionId) {
    return done(fanout.retry(subscriptionId));
  }

  /** Whether {@link #stop} was begun and rounds are to end. */
  boolean isStopping() {
    return stopping && fanout.isClosed();
  }

  /** Stops as the gateway does. */
  public void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    stopping = true;
    followers.stop();
    fanout.stop();
    endpoints.close();
    followers.close();
    fanout.close();
    client.close();
    threads.shutdownNow();
    opened.close().run();
    commits.shutdown();
  }

  @Override
  public void close() {
    stop();
    if (ownsSubscriber) {
      subscriber.close();
      place.remove();
    }
  }
}
