package io.feedbridge.gateway.subscribers;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.rsscloud.BadRegistrationException;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.Registration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registrations of aggregators: feeds are read, handlers tested, and nothing is left behind. */
class CloudRegistrarTest {

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber aggregator = new FakeSubscriber();

  /** While there is one, following succeeds, but its caller learns so only by this. */
  private final AtomicReference<CompletableFuture<?>> lateFollow = new AtomicReference<>();

  private final AtomicInteger failing = new AtomicInteger();
  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench =
        new StageBench(
                data,
                new ManualTimer(StageBench.START),
                store ->
                    StageBench.faultyPart(
                            Subscriptions.class,
                            (method, arguments, rest) ->
                                method.equals("register") && failing.getAndDecrement() > 0
                                    ? StageBench.diskFull()
                                    : rest.call())
                        .apply(StageBench.faultyPart(Feeds.class, this::slowly).apply(store)),
                work -> work)
            .startIngest()
            .startPolls()
            .startRegistrar();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it is the result, if one without a type
  private Object slowly(String method, Object[] arguments, Callable<Object> rest) throws Exception {
    Object result = rest.call();
    CompletableFuture<?> late = lateFollow.get();
    return method.equals("follow") && late != null && result instanceof CompletableFuture<?> feed
        ? feed.thenCombine(late, (one, other) -> one)
        : result;
  }

  @AfterEach
  void stop() {
    bench.close();
    aggregator.close();
    origin.close();
  }

  private Registration registration(boolean domain, String path, String... urls) {
    Map<String, List<String>> form = new HashMap<>();
    form.put("notifyProcedure", List.of(""));
    form.put("port", List.of(Integer.toString(aggregator.port())));
    form.put("path", List.of("/" + path));
    form.put("protocol", List.of("http-post"));
    if (domain) {
      form.put("domain", List.of("127.0.0.1"));
    }
    for (int i = 0; i < urls.length; i++) {
      form.put("url" + (i + 1), List.of(urls[i]));
    }
    try {
      return Registration.parse(form, "127.0.0.1");
    } catch (BadRegistrationException e) {
      throw new AssertionError(e);
    }
  }

  private CompletableFuture<NotifyResult> begin(String path, String... urls) {
    return bench.registrar().register(registration(true, path, urls), GatewayPath.NONE);
  }

  private NotifyResult result(CompletableFuture<NotifyResult> begun) {
    bench.until(begun::isDone);
    return begun.join();
  }

  private List<Subscription> subscriptions(String topic) {
    return bench.store().subscriptions().ofFeed(bench.feed(topic).id(), 0, 100);
  }

  private void refuse(String path) {
    aggregator.onQuestion(
        path, request -> CompletableFuture.completedFuture(Response.text(200, "what?")));
  }

  @Test
  void a_guard_decides_about_a_registration_before_the_handler_is_tested() {
    String guard = "<" + origin.url("guard") + ">; rel=validate";
    String feed =
        origin.serve("feed.xml", "application/rss+xml", FakeOrigin.rssOf("", "one"), guard);
    origin.answer("guard", aResponse().withStatus(401).withBody("members only"));
    assertThat(result(begin("good", feed)).msg())
        .contains("is refused by its publisher: members only");
    assertThat(aggregator.asked("good")).isEmpty();

    origin.answer("guard", aResponse().withStatus(503));
    assertThat(result(begin("good", feed)).msg()).contains("is not registered", "status 503");

    origin.answer("guard", aResponse().withStatus(204));
    assertThat(result(begin("good", feed)).success()).isTrue();
    assertThat(subscriptions(feed)).hasSize(1);
  }

  @Test
  void a_feed_that_somebody_else_lets_go_of_before_it_is_fetched_is_fetched_all_the_same() {
    bench.close();
    bench = StageBench.on(data).startRegistrar();
    String feed = origin.rss("feed.xml", "", "one");
    CompletableFuture<NotifyResult> begun = begin("good", feed);
    bench.until(() -> bench.store().feeds().byTopic(feed).isPresent());

    bench.store().feeds().unfollowIfUnused(bench.feed(feed).id(), bench.timer().now()).join();
    bench.until(() -> bench.feed(feed).followed());
    bench.startIngest().startPolls();

    assertThat(result(begun).success()).isTrue();
  }

  @Test
  void with_a_domain_the_handler_must_give_a_challenge_back() {
    String feed = origin.rss("feed.xml", "", "one");

    assertThat(result(begin("good", feed)).success()).isTrue();

    assertThat(aggregator.asked("good").get(0).query()).containsEntry("url", List.of(feed));
    assertThat(subscriptions(feed)).hasSize(1);
    assertThat(subscriptions(feed).get(0).leaseEndsAt())
        .isEqualTo(bench.timer().now().plus(Duration.ofHours(25)));
  }

  @Test
  void a_page_that_repeats_its_own_address_is_no_handler_and_a_page_with_the_challenge_is_one() {
    String feed = origin.rss("feed.xml", "", "one");
    aggregator.onQuestion(
        "search",
        request ->
            CompletableFuture.completedFuture(
                Response.text(200, "you looked for " + request.query())));
    aggregator.onQuestion(
        "page",
        request ->
            CompletableFuture.completedFuture(
                Response.text(
                    200,
                    "<p>"
                        + request.query().getOrDefault("challenge", List.of("")).get(0)
                        + "</p>")));

    NotifyResult search = result(begin("search", feed));
    NotifyResult page = result(begin("page", feed));

    assertThat(search.success()).isFalse();
    assertThat(search.msg()).contains("returns every parameter of the request");
    assertThat(page.success()).isTrue();
    assertThat(aggregator.asked("search")).hasSize(2);
    assertThat(aggregator.asked("page")).hasSize(2);
  }

  @Test
  void without_a_domain_the_handler_must_take_a_notification() {
    String feed = origin.rss("feed.xml", "", "one");
    aggregator.answer("bad", 404);

    NotifyResult good =
        result(bench.registrar().register(registration(false, "good", feed), GatewayPath.NONE));
    NotifyResult bad =
        result(bench.registrar().register(registration(false, "bad", feed), GatewayPath.NONE));

    assertThat(good.success()).isTrue();
    assertThat(aggregator.bodies("good"))
        .containsExactly("url=" + java.net.URLEncoder.encode(feed, StandardCharsets.UTF_8));
    assertThat(bad.success()).isFalse();
    assertThat(bad.msg()).contains("404");
    assertThat(subscriptions(feed)).hasSize(1);
  }

  @Test
  void each_of_several_feeds_stands_for_itself_and_those_that_fail_are_named() {
    String good = origin.rss("feed.xml", "", "one");
    String page = origin.serve("page", "text/html", "<html>a page</html>");
    String missing = origin.url("missing");

    NotifyResult result = result(begin("good", good, page, missing, "http://a.example/#f"));

    assertThat(result.success()).isFalse();
    assertThat(result.msg())
        .contains(page + ": is neither a feed nor an OPML list")
        .contains(missing + ": cannot be read")
        .doesNotContain(good + ":");
    assertThat(subscriptions(good)).hasSize(1);
    assertThat(bench.feed(page).followed()).isFalse();
    assertThat(bench.feed(missing).followed()).isFalse();
  }

  @Test
  void registrations_that_wait_for_one_feed_share_its_fetch_and_are_all_kept() {
    String feed = origin.rss("feed.xml", "", "one");
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    List<CompletableFuture<NotifyResult>> begun = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      begun.add(begin("handler" + i, feed));
    }
    bench.until(() -> origin.requests("feed.xml").size() == 1);
    gate.complete(null);

    assertThat(begun).allSatisfy(one -> assertThat(result(one).success()).isTrue());
    assertThat(origin.requests("feed.xml")).hasSize(1);
    assertThat(subscriptions(feed)).hasSize(20);
  }

  @Test
  void a_first_fetch_that_takes_long_keeps_no_handler_waiting_that_passes_its_test() {
    String feed = origin.rss("feed.xml", "", "one");
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    CompletableFuture<NotifyResult> begun = begin("good", feed);
    bench.until(() -> origin.requests("feed.xml").size() == 1);

    bench.timer().advance(CloudRegistrar.FETCH_WAIT);
    NotifyResult result = result(begun);
    gate.complete(null);

    assertThat(result.success()).isTrue();
    assertThat(subscriptions(feed)).hasSize(1);
    bench.until(() -> bench.feed(feed).hasBaseline());
    assertThat(bench.feed(feed).followed()).isTrue();
    // Rule L11: the baseline is news to no subscriber.
    assertThat(bench.events(feed)).isEmpty();
  }

  @Test
  void a_first_fetch_that_takes_long_is_no_way_around_the_test_of_the_handler() {
    String feed = origin.rss("feed.xml", "", "one");
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    refuse("bad");
    CompletableFuture<NotifyResult> begun = begin("bad", feed);
    bench.until(() -> origin.requests("feed.xml").size() == 1);

    bench.timer().advance(CloudRegistrar.FETCH_WAIT);
    NotifyResult result = result(begun);
    gate.complete(null);

    assertThat(result.success()).isFalse();
    assertThat(result.msg()).contains("failed its test");
    bench.until(() -> !bench.feed(feed).followed());
  }

  @Test
  void nobody_waits_for_a_feed_any_more_after_its_time_is_over() {
    Baselines baselines = new Baselines(bench.store(), bench.threads(), bench.timer());
    baselines.start();
    FollowedFeed feed =
        bench.store().feeds().follow("http://127.0.0.1:1/", bench.timer().now()).join();
    FollowedFeed untried = withoutTry(feed);
    CompletableFuture<FollowedFeed> one = baselines.await(untried, Duration.ofSeconds(1));
    CompletableFuture<FollowedFeed> two = baselines.await(untried, Duration.ofSeconds(2));

    bench.timer().advance(Duration.ofSeconds(3));

    bench.until(() -> one.isDone() && two.isDone());
    assertThat(baselines.waiting()).isZero();
    baselines.close();
  }

  private static FollowedFeed withoutTry(FollowedFeed feed) {
    return new FollowedFeed(
        Long.MAX_VALUE,
        feed.topic(),
        feed.url(),
        feed.kind(),
        feed.state(),
        true,
        false,
        0,
        null,
        null,
        null,
        feed.fetched(),
        feed.validators(),
        feed.advertised(),
        feed.pace());
  }

  @Test
  void of_two_registrations_one_that_fails_does_not_take_the_feed_from_the_other() {
    String feed = origin.rss("feed.xml", "", "one");
    refuse("bad");
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    CompletableFuture<NotifyResult> good = begin("good", feed);
    CompletableFuture<NotifyResult> bad = begin("bad", feed);
    gate.complete(null);

    assertThat(result(bad).success()).isFalse();
    assertThat(result(good).success()).isTrue();
    assertThat(bench.feed(feed).followed()).isTrue();
    assertThat(origin.requests("feed.xml")).hasSize(1);
  }

  @Test
  void one_that_fails_while_another_begins_to_follow_does_not_take_the_feed_from_it() {
    String feed = origin.rss("feed.xml", "", "one");
    refuse("bad");
    CompletableFuture<Response> answer = new CompletableFuture<>();
    aggregator.onQuestion("bad", request -> answer);
    CompletableFuture<NotifyResult> bad = begin("bad", feed);
    bench.until(() -> aggregator.asked("bad").size() == 1);
    Instant baseline = bench.feed(feed).firstFetchAt();
    bench.timer().advance(Duration.ofSeconds(1));
    CompletableFuture<Void> late = new CompletableFuture<>();
    lateFollow.set(late);
    CompletableFuture<NotifyResult> good = begin("good", feed);

    answer.complete(Response.text(200, "what?"));
    assertThat(result(bad).success()).isFalse();
    assertThat(bench.feed(feed).followed()).isTrue();
    late.complete(null);

    assertThat(result(good).success()).isTrue();
    assertThat(bench.feed(feed).firstFetchAt()).isEqualTo(baseline);
  }

  @Test
  void the_last_registration_that_fails_lets_the_feed_go() {
    String feed = origin.rss("feed.xml", "", "one");
    refuse("bad");
    refuse("worse");
    CompletableFuture<NotifyResult> one = begin("bad", feed);
    CompletableFuture<NotifyResult> two = begin("worse", feed);

    assertThat(result(one).success()).isFalse();
    assertThat(result(two).success()).isFalse();
    bench.until(() -> !bench.feed(feed).followed());
  }

  @Test
  void a_feed_that_somebody_else_lets_go_of_meanwhile_is_followed_again() {
    String feed = origin.rss("feed.xml", "", "one");
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    CompletableFuture<NotifyResult> begun = begin("good", feed);
    bench.until(() -> origin.requests("feed.xml").size() == 1);

    bench.store().feeds().unfollowIfUnused(bench.feed(feed).id(), bench.timer().now()).join();
    gate.complete(null);

    assertThat(result(begun).success()).isTrue();
    assertThat(bench.feed(feed).followed()).isTrue();
    assertThat(bench.feed(feed).nextFetchAt()).isNotNull();
  }

  @Test
  void a_registration_that_cannot_be_written_fails_and_lets_the_feed_go() {
    String feed = origin.rss("feed.xml", "", "one");
    failing.set(1);

    CompletableFuture<NotifyResult> begun = begin("good", feed);
    bench.until(begun::isDone);

    assertThat(begun).isCompletedExceptionally();
    bench.until(() -> !bench.feed(feed).followed());
  }

  @Test
  void a_renewal_keeps_the_subscription_and_prolongs_it() {
    String feed = origin.rss("feed.xml", "", "one");
    result(begin("good", feed));
    long id = subscriptions(feed).get(0).id();
    bench.timer().advance(Duration.ofHours(24));

    result(begin("good", feed));

    assertThat(subscriptions(feed)).extracting(Subscription::id).containsExactly(id);
    assertThat(subscriptions(feed).get(0).leaseEndsAt())
        .isEqualTo(bench.timer().now().plus(Duration.ofHours(25)));
  }
}
