package io.feedbridge.gateway.subscribers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.ingest.StageBench.Fault;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Auth;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Scheme;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No subscription of a stranger outlives the step of a feed to private, whatever fails on it. */
class FeedPrivacyTest {

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
  private static final String TOPIC = "https://one.example/feed";
  private static final FeedCredentials BASIC = basic("geheim");

  /** The writes of a change, in their order. */
  private static final int HIDES = 0;

  private static final int DISMISSES = 1;
  private static final int SETS = 2;

  @TempDir private Path folder;
  private SqliteBackend backend;
  private Store store;
  private final AtomicInteger writes = new AtomicInteger();
  private final Map<Integer, Fault> instead = new ConcurrentHashMap<>();
  private FeedPrivacy privacy;
  private FollowedFeed feed;

  private static FeedCredentials basic(String password) {
    return new FeedCredentials(new Auth(Scheme.BASIC, "ann", password), Map.of(), null, null);
  }

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    store = new Store(StageBench.faulty(Database.class, backend.database(), this::written));
    privacy = new FeedPrivacy(store, Clock.fixed(NOW, ZoneOffset.UTC));
    feed = store.feeds().follow(TOPIC, NOW).join();
  }

  @AfterEach
  void stop() {
    backend.close();
  }

  private @Nullable Object written(
      String method, @Nullable Object[] arguments, Callable<@Nullable Object> rest)
      throws Exception {
    Fault fault = method.equals("write") ? instead.remove(writes.getAndIncrement()) : null;
    return fault == null ? rest.call() : fault.call(method, arguments, rest);
  }

  /** From now on the fault happens in place of a write. */
  private void on(int write, Fault fault) {
    writes.set(0);
    instead.put(write, fault);
  }

  private void subscribe(String callback, Sponsor sponsor) {
    Terms terms =
        new Terms(TOPIC, Format.ATOM, null, "sha256", false, false, Duration.ofDays(1), null);
    store
        .subscriptions()
        .request(Verification.Mode.SUBSCRIBE, TOPIC, callback, terms, null, sponsor, NOW)
        .thenCompose(request -> store.subscriptions().confirm(request, NOW))
        .join();
  }

  private void subscribe() {
    subscribe("https://stranger.example/", Sponsor.NOBODY);
  }

  private CompletableFuture<Void> set(FeedCredentials credentials) {
    return privacy.set(TOPIC, () -> CompletableFuture.completedFuture(credentials));
  }

  private List<String> subscribers() {
    return store.subscriptions().ofFeed(feed.id(), 0, 10).stream()
        .map(Subscription::callback)
        .toList();
  }

  private boolean isPrivate() {
    return store.privateFeeds().contains(TOPIC);
  }

  @ParameterizedTest
  @ValueSource(ints = {HIDES, DISMISSES, SETS})
  void after_a_failure_the_feed_is_public_and_the_next_change_puts_everyone_out(int write) {
    subscribe();
    on(write, (method, arguments, rest) -> StageBench.diskFull());
    assertThatThrownBy(() -> set(BASIC).join()).hasMessageContaining("full");
    assertThat(isPrivate()).isFalse();
    assertThat(store.privateFeeds().count()).isZero();

    subscribe();
    set(BASIC).join();

    assertThat(isPrivate()).isTrue();
    assertThat(subscribers()).isEmpty();
  }

  @Test
  void new_credentials_do_not_end_the_subscriptions_of_the_operator() {
    subscribe("https://operator.example/", new Sponsor(Sponsor.OPERATOR, true));
    subscribe();

    set(BASIC).join();
    set(basic("neu")).join();

    assertThat(subscribers()).containsExactly("https://operator.example/");
    assertThat(privacy.of(TOPIC)).isEqualTo(basic("neu"));
  }

  @Test
  void changes_of_one_feed_are_made_one_after_the_other() {
    CompletableFuture<Void> held = new CompletableFuture<>();
    CompletableFuture<Void> reached = new CompletableFuture<>();
    on(
        SETS,
        (method, arguments, rest) -> {
          reached.complete(null);
          Object later = held.thenCompose(free -> run(rest));
          return later;
        });

    CompletableFuture<Void> first = set(BASIC);
    CompletableFuture<Void> second = set(FeedCredentials.NONE);
    // The next write of this test would be held otherwise.
    reached.join();
    store.feeds().keep(List.of(TOPIC), NOW).join();
    assertThat(second).isNotDone();
    assertThat(isPrivate()).isTrue();
    held.complete(null);
    first.join();
    second.join();

    assertThat(isPrivate()).isFalse();
    assertThat(privacy.of(TOPIC)).isEqualTo(FeedCredentials.NONE);
  }

  @Test
  void a_change_that_cannot_be_made_lets_the_next_one_through() {
    CompletableFuture<Void> refused =
        privacy.set(TOPIC, () -> CompletableFuture.failedFuture(new IllegalStateException("full")));
    CompletableFuture<Void> thrown =
        privacy.set(
            TOPIC,
            () -> {
              throw new IllegalStateException("full");
            });

    assertThatThrownBy(refused::join).hasMessageContaining("full");
    assertThatThrownBy(thrown::join).hasMessageContaining("full");
    set(BASIC).join();
    assertThat(privacy.of(TOPIC)).isEqualTo(BASIC);
  }

  private static CompletableFuture<?> run(Callable<@Nullable Object> rest) {
    try {
      return (CompletableFuture<?>) rest.call();
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Test
  void the_first_fetch_that_is_due_knows_the_credentials() {
    List<Boolean> known = new CopyOnWriteArrayList<>();
    store.onChange(
        Change.FETCH_DUE, () -> known.add(store.privateFeeds().of(feed.id()).isPresent()));

    store.privateFeeds().set(TOPIC, BASIC, NOW).join();

    assertThat(known).isNotEmpty().doesNotContain(false);
  }
}
