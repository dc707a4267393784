package io.feedbridge.gateway.subscribers;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.subscriptions.Verification.Mode;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.websub.GuardQuestion;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests of subscribers become subscriptions, or do not (rules H4 to H6, H9, H10, L6, L7, L11).
 */
class VerifierTest {

  private static final Duration LEASE = Duration.ofDays(3);
  private static final int STRANGERS_AT_HOST =
      VerificationPlaces.MAX_PER_HOST - VerificationPlaces.FOR_RENEWALS;

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final AtomicInteger failing = new AtomicInteger();
  private final AtomicInteger unreadable = new AtomicInteger();
  private final AtomicInteger looks = new AtomicInteger();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench =
        new StageBench(
                data,
                new ManualTimer(StageBench.START),
                StageBench.faultyPart(
                    Subscriptions.class,
                    (method, arguments, rest) -> {
                      if (method.equals("due")) {
                        looks.incrementAndGet();
                      }
                      if (method.equals("isActive") && unreadable.getAndDecrement() > 0) {
                        throw new IllegalStateException("a row is damaged");
                      }
                      return method.equals("confirm") && failing.getAndDecrement() > 0
                          ? StageBench.diskFull()
                          : rest.call();
                    }),
                work -> work)
            .startIngest()
            .startPolls()
            .startVerifier();
    topic = origin.rss("feed.xml", "", "one");
  }

  @AfterEach
  void stop() {
    bench.close();
    subscriber.close();
    origin.close();
  }

  private Verification request(Mode mode, String callback, Format format) {
    return request(mode, callback, format, Sponsor.NOBODY);
  }

  private Verification request(Mode mode, String callback, Format format, Sponsor sponsor) {
    return bench
        .store()
        .subscriptions()
        .request(
            mode,
            topic,
            callback,
            new Terms(topic, format, null, "sha256", false, false, LEASE),
            "token",
            sponsor,
            bench.timer().now())
        .join();
  }

  private Verification subscribe(String path) {
    return request(Mode.SUBSCRIBE, subscriber.url(path), Format.ATOM);
  }

  private List<Subscription> subscriptions() {
    return bench.store().subscriptions().ofFeed(bench.feed(topic).id(), 0, 1_000);
  }

  private boolean nothingPends() {
    return bench
        .store()
        .subscriptions()
        .due(bench.timer().now().plus(Duration.ofDays(1)), Set.of(), 1)
        .isEmpty();
  }

  private static String parameter(Request request, String name) {
    return request.query().getOrDefault(name, List.of("")).get(0);
  }

  @Test
  void a_request_whose_reading_fails_is_verified_later_and_holds_up_no_other() {
    unreadable.set(1);
    subscribe("one");
    subscribe("two");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);

    bench.timer().advance(Duration.ofSeconds(30));

    bench.until(() -> subscriptions().size() == 2);
  }

  @Test
  void H4_H5_a_callback_that_gives_the_challenge_back_is_subscribed() {
    subscribe("one?a=b");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);

    Request question = subscriber.asked("one").get(0);
    assertThat(question.rawQuery()).startsWith("a=b&");
    assertThat(parameter(question, "hub.mode")).isEqualTo("subscribe");
    assertThat(parameter(question, "hub.topic")).isEqualTo(topic);
    assertThat(parameter(question, "hub.challenge")).hasSizeGreaterThan(20);
    assertThat(parameter(question, "hub.lease_seconds")).isEqualTo("259200");
    assertThat(parameter(question, "hub.verify_token")).isEqualTo("token");
    assertThat(subscriptions().get(0).leaseEndsAt()).isEqualTo(bench.timer().now().plus(LEASE));
    assertThat(nothingPends()).isTrue();
  }

  private void guarded(int status, String text) {
    topic = origin.serve("feed.xml", "application/rss+xml", FakeOrigin.rssOf("", "one"), guard());
    origin.answer("guard", aResponse().withStatus(status).withBody(text));
  }

  private String guard() {
    return "<" + origin.url("guard") + ">; rel=\"validate\"";
  }

  @Test
  void a_guard_is_asked_for_each_subscriber_and_renewal_before_the_callback() {
    guarded(204, "");
    subscribe("one");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);
    assertThat(new String(origin.requests("guard").get(0).body(), UTF_8))
        .isEqualTo(new GuardQuestion(topic, subscriber.url("one"), LEASE).body());

    subscribe("one");
    bench.until(() -> subscriber.asked("one").size() == 2 && nothingPends());

    assertThat(origin.requests("guard")).hasSize(2);
  }

  @Test
  void a_guard_that_says_no_denies_with_its_text_and_the_callback_is_not_asked() {
    guarded(401, "members only");
    subscribe("one");
    bench.until(() -> subscriber.asked("one").size() == 1 && nothingPends());

    assertThat(parameter(subscriber.asked("one").get(0), "hub.mode")).isEqualTo("denied");
    assertThat(parameter(subscriber.asked("one").get(0), "hub.reason")).isEqualTo("members only");
    assertThat(subscriptions()).isEmpty();
  }

  @Test
  void credentials_do_not_replace_the_permission_of_a_guard() {
    guarded(401, "members only");
    request(
        Mode.SUBSCRIBE, subscriber.url("one"), Format.JSON, new Sponsor(Sponsor.OPERATOR, true));
    bench.until(() -> origin.requests("guard").size() == 1 && nothingPends());

    assertThat(subscriptions()).isEmpty();
  }

  @Test
  void the_outage_of_a_guard_is_no_permission_and_it_is_asked_again() {
    guarded(503, "down");
    subscribe("one");
    untilPostponed(1);
    assertThat(subscriber.asked("one")).isEmpty();

    origin.answer("guard", aResponse().withStatus(204));
    bench.timer().advance(Duration.ofSeconds(5));

    bench.until(() -> subscriptions().size() == 1);
  }

  private void untilPostponed(int tries) {
    bench.until(
        () ->
            origin.requests("guard").size() == tries
                && bench.store().subscriptions().nextDue(bench.timer().now()).isPresent());
  }

  @Test
  void a_guard_that_stays_down_denies_in_the_end() {
    guarded(503, "down");
    subscribe("one");
    for (int tries = 1; tries <= 3; tries++) {
      untilPostponed(tries);
      bench.timer().advance(Duration.ofMinutes(2));
    }
    bench.until(() -> subscriber.asked("one").size() == 1 && nothingPends());

    assertThat(parameter(subscriber.asked("one").get(0), "hub.reason")).contains("status 503");
    assertThat(subscriptions()).isEmpty();
  }

  @Test
  void L11_a_subscription_is_active_only_after_the_first_fetch() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    subscribe("one");
    bench.until(() -> origin.requests("feed.xml").size() == 1);
    int before = looks.get();
    bench.store().subscriptions().postpone(subscribe("two"), bench.timer().now()).join();
    bench.until(() -> looks.get() > before);
    assertThat(subscriber.asked("one")).isEmpty();

    gate.complete(null);
    bench.until(() -> subscriptions().size() == 2);
    assertThat(bench.feed(topic).hasBaseline()).isTrue();
  }

  @Test
  void L6_it_begins_at_the_newest_event() {
    subscribe("one");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);
    origin.rss("feed.xml", "", "two", "one");
    bench.light(bench.feed(topic), Via.PING);
    bench.untilIdle();

    subscribe("late");

    bench.until(() -> subscriptions().size() == 2);
    assertThat(subscriptions().get(1).start()).isEqualTo(bench.feed(topic).head()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"200,wrong", "404,no", "410,gone", "302,elsewhere"})
  void H5_any_other_answer_drops_the_request_and_leaves_the_subscription(int status, String text) {
    subscribe("one");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);
    Subscription before = subscriptions().get(0);
    subscriber.onQuestion(
        "one", request -> CompletableFuture.completedFuture(Response.text(status, text)));

    request(Mode.SUBSCRIBE, subscriber.url("one"), Format.JSON);
    bench.until(() -> subscriber.asked("one").size() == 2 && nothingPends());
    request(Mode.UNSUBSCRIBE, subscriber.url("one"), Format.JSON);
    bench.until(() -> subscriber.asked("one").size() == 3 && nothingPends());

    assertThat(subscriptions()).containsExactly(before);
  }

  @Test
  void a_callback_out_of_reach_is_tried_again_after_5_s_30_s_and_2_min_and_then_dropped() {
    int port = FreePort.next();
    request(Mode.SUBSCRIBE, "http://127.0.0.1:" + port + "/", Format.ATOM);
    List<Duration> pauses = new ArrayList<>();
    for (int attempts = 1; attempts <= 3; attempts++) {
      int expected = attempts;
      bench.until(() -> pending().filter(v -> v.attempts() == expected).isPresent());
      pauses.add(Duration.between(bench.timer().now(), pending().orElseThrow().nextAttemptAt()));
      bench.timer().advance(pauses.get(pauses.size() - 1));
    }

    bench.until(this::nothingPends);
    assertThat(pauses)
        .containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2));
    assertThat(bench.feed(topic).followed()).isFalse();
  }

  @Test
  void H5_a_callback_that_answers_with_a_server_error_is_asked_again() {
    AtomicInteger questions = new AtomicInteger();
    subscriber.onQuestion(
        "one",
        request ->
            questions.incrementAndGet() == 1
                ? CompletableFuture.completedFuture(Response.text(503, "restarting"))
                : FakeSubscriber.confirm(request));
    subscribe("one");

    bench.until(() -> pending().filter(v -> v.attempts() == 1).isPresent());
    bench.timer().advance(Duration.ofSeconds(5));

    bench.until(() -> subscriptions().size() == 1);
    assertThat(questions).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 404, 408, 425, 429, 500, 503})
  void a_subscription_waits_for_a_topic_that_cannot_be_fetched_yet(int status) {
    origin.fail("feed.xml", status);
    subscribe("one");

    bench.until(() -> subscriptions().size() == 1 && nothingPends());
    assertThat(parameter(subscriber.asked("one").get(0), "hub.mode")).isEqualTo("subscribe");
    assertThat(bench.feed(topic).waiting()).contains(Integer.toString(status));
    assertThat(between(bench.timer().now(), bench.feed(topic).nextFetchAt()))
        .isLessThanOrEqualTo(Duration.ofMinutes(10));

    origin.rss("feed.xml", "", "one");
    bench.until(
        () -> {
          bench.timer().advance(Duration.ofMinutes(1));
          return bench.feed(topic).hasBaseline();
        });
    assertThat(bench.events(topic)).as("a baseline is no news").isEmpty();
    assertThat(subscriptions()).hasSize(1);
    assertThat(bench.feed(topic).waiting()).isNull();
  }

  @Test
  void a_topic_that_is_not_there_is_fetched_at_ever_longer_pauses_of_a_day_at_most() {
    origin.fail("feed.xml", 404);
    subscribe("one");
    bench.until(() -> subscriptions().size() == 1 && nothingPends());
    List<Duration> pauses = new ArrayList<>();
    for (int failures = 1; failures <= 9; failures++) {
      int soFar = failures;
      bench.until(() -> bench.feed(topic).fetched().failures() == soFar);
      Duration pause = between(bench.timer().now(), bench.feed(topic).nextFetchAt());
      pauses.add(pause);
      bench.timer().advance(pause);
    }

    assertThat(pauses.get(0)).isEqualTo(Duration.ofMinutes(10));
    assertThat(pauses).isSorted();
    assertThat(pauses.get(8)).isLessThanOrEqualTo(Duration.ofDays(1));
  }

  @Test
  void a_topic_whose_host_has_no_name_for_a_day_is_gone_and_its_subscribers_are_told() {
    topic = "http://no-such-host.invalid/feed.xml";
    subscribe("one");
    bench.until(() -> subscriptions().size() == 1 && nothingPends());

    bench.until(
        () -> {
          bench.timer().advance(Duration.ofMinutes(10));
          return bench.feed(topic).state() == FeedState.GONE;
        });
    bench.until(() -> subscriber.asked("one").size() == 2);
    assertThat(parameter(subscriber.asked("one").get(1), "hub.mode")).isEqualTo("denied");
    assertThat(Duration.between(StageBench.START, bench.timer().now()))
        .isGreaterThan(Duration.ofDays(1));
  }

  private static Duration between(Instant now, @Nullable Instant then) {
    return Duration.between(now, Objects.requireNonNull(then));
  }

  private java.util.Optional<Verification> pending() {
    return bench
        .store()
        .subscriptions()
        .due(bench.timer().now().plus(Duration.ofDays(1)), Set.of(), 1)
        .stream()
        .map(Subscriptions.Pending::verification)
        .findFirst();
  }

  @Test
  void a_callback_that_must_not_be_called_is_dropped_at_once() {
    request(Mode.SUBSCRIBE, "http://10.0.0.1/callback", Format.ATOM);

    bench.until(() -> bench.feed(topic).hasBaseline() && nothingPends());
    assertThat(subscriptions()).isEmpty();
  }

  @Test
  void L7_of_two_pending_requests_the_newer_wins_whichever_is_confirmed_last() {
    List<CompletableFuture<Response>> answers = new ArrayList<>();
    List<Request> questions = new ArrayList<>();
    subscriber.onQuestion(
        "one",
        request -> {
          CompletableFuture<Response> answer = new CompletableFuture<>();
          synchronized (answers) {
            questions.add(request);
            answers.add(answer);
          }
          return answer;
        });
    request(Mode.SUBSCRIBE, subscriber.url("one"), Format.RAW);
    bench.until(() -> subscriber.asked("one").size() == 1);
    request(Mode.SUBSCRIBE, subscriber.url("one"), Format.JSON);
    bench.until(() -> subscriber.asked("one").size() == 2);

    for (int i = 1; i >= 0; i--) {
      answers.get(i).complete(Response.text(200, parameter(questions.get(i), "hub.challenge")));
    }
    bench.until(() -> bench.client().inFlight() == 0 && nothingPends());

    assertThat(subscriptions()).hasSize(1);
    assertThat(subscriptions().get(0).terms().format()).isEqualTo(Format.JSON);
  }

  @Test
  void H10_a_topic_that_is_gone_is_denied_with_the_reason() {
    origin.fail("feed.xml", 410);
    subscribe("one");

    bench.until(() -> subscriber.asked("one").size() == 1 && nothingPends());

    Request denial = subscriber.asked("one").get(0);
    assertThat(parameter(denial, "hub.mode")).isEqualTo("denied");
    assertThat(parameter(denial, "hub.topic")).isEqualTo(topic);
    assertThat(parameter(denial, "hub.reason")).contains("gone");
    bench.until(() -> !bench.feed(topic).followed());
    assertThat(bench.feed(topic).nextFetchAt()).isNull();
  }

  private void subscribeAll(FakeSubscriber at, int count) {
    for (int i = 0; i < count; i++) {
      request(Mode.SUBSCRIBE, at.url("h" + i), Format.ATOM);
    }
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == count);
  }

  private void isGone() {
    origin.fail("feed.xml", 410);
    bench.light(bench.feed(topic), Via.PING);
    bench.until(() -> bench.feed(topic).state() == FeedState.GONE);
  }

  private static long denials(FakeSubscriber at, int count) {
    return IntStream.range(0, count)
        .filter(
            i ->
                at.asked("h" + i).stream()
                    .anyMatch(one -> parameter(one, "hub.mode").equals("denied")))
        .count();
  }

  @Test
  void H10_of_a_feed_that_is_gone_a_host_that_hangs_holds_up_no_denial_and_a_restart_loses_none() {
    int many = 2 * VerificationPlaces.MAX_PER_HOST;
    try (FakeSubscriber hanging = new FakeSubscriber()) {
      subscribeAll(hanging, many);
      subscribe("one");
      bench.until(() -> subscriptions().size() == many + 1);
      CompletableFuture<Response> never = new CompletableFuture<>();
      for (int i = 0; i < many; i++) {
        hanging.onQuestion("h" + i, request -> never);
      }

      isGone();

      bench.until(() -> subscriber.asked("one").size() == 2);
      assertThat(parameter(subscriber.asked("one").get(1), "hub.mode")).isEqualTo("denied");
      bench.until(() -> denials(hanging, many) == STRANGERS_AT_HOST);
      bench.until(() -> bench.client().inFlight() == STRANGERS_AT_HOST);
      bench.close();
      for (int i = 0; i < many; i++) {
        hanging.onQuestion("h" + i, FakeSubscriber::confirm);
      }
      bench = StageBench.on(data).startVerifier();

      bench.until(() -> denials(hanging, many) == many && nothingPends());
      assertThat(subscriber.asked("one")).hasSize(2);
      assertThat(subscriptions()).hasSize(many + 1);
    }
  }

  @Test
  void H10_a_denial_whose_callback_is_out_of_reach_is_told_later() {
    int port = FreePort.next();
    try (FakeSubscriber there = FakeSubscriber.on(port)) {
      subscribeAll(there, 1);
    }
    isGone();
    bench.until(() -> pending().filter(v -> v.attempts() == 1).isPresent());
    try (FakeSubscriber back = FakeSubscriber.on(port)) {
      bench.timer().advance(Duration.ofSeconds(5));

      bench.until(() -> denials(back, 1) == 1 && nothingPends());
    }
  }

  @Test
  void H10_of_a_feed_that_is_back_nobody_is_told_any_more_that_it_was_gone() {
    int port = FreePort.next();
    try (FakeSubscriber there = FakeSubscriber.on(port)) {
      subscribeAll(there, 1);
    }
    isGone();
    bench.until(() -> pending().filter(v -> v.attempts() == 1).isPresent());
    origin.rss("feed.xml", "", "two");

    bench.light(bench.feed(topic), Via.PING);

    bench.until(() -> bench.feed(topic).state() == FeedState.ACTIVE);
    assertThat(nothingPends()).isTrue();
  }

  @Test
  void a_topic_that_was_denied_is_fetched_again_for_whoever_asks_next() {
    origin.fail("feed.xml", 410);
    subscribe("one");
    bench.until(() -> subscriber.asked("one").size() == 1 && nothingPends());
    origin.rss("feed.xml", "", "one");
    // At another time than the poll that failed, whose feed may not be put off yet.
    bench.timer().advance(Duration.ofSeconds(1));

    subscribe("one");

    bench.until(() -> subscriptions().size() == 1);
  }

  @Test
  void H9_an_unsubscription_from_what_does_not_exist_is_verified_and_no_error() {
    request(Mode.UNSUBSCRIBE, subscriber.url("one"), Format.ATOM);

    bench.until(() -> subscriber.asked("one").size() == 1 && nothingPends());

    assertThat(parameter(subscriber.asked("one").get(0), "hub.mode")).isEqualTo("unsubscribe");
    assertThat(subscriber.asked("one").get(0).query()).doesNotContainKey("hub.lease_seconds");
    assertThat(bench.store().feeds().byTopic(topic)).isEmpty();
  }

  @Test
  void a_confirmed_unsubscription_ends_the_subscription_and_lets_the_feed_go() {
    subscribe("one");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);

    request(Mode.UNSUBSCRIBE, subscriber.url("one"), Format.ATOM);

    bench.until(() -> subscriptions().isEmpty() && !bench.feed(topic).followed());
  }

  @Test
  void an_outcome_that_cannot_be_recorded_does_not_have_the_callback_asked_without_a_pause() {
    subscribe("first");
    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);
    failing.set(1);
    subscribe("one");
    bench.until(() -> failing.get() == 0 && bench.timer().runsOneIn(Duration.ofSeconds(30)));

    // Others are served meanwhile, which looks for work again and again.
    subscribe("two");
    bench.until(() -> subscriptions().size() == 2);
    assertThat(subscriber.asked("one")).hasSize(1);
    bench.timer().advance(Duration.ofSeconds(30));
    bench.until(() -> subscriptions().size() == 3);
    assertThat(subscriber.asked("one")).hasSize(2);
  }

  @Test
  void a_host_that_never_answers_has_a_few_places_and_holds_up_no_other() {
    try (FakeSubscriber hanging = new FakeSubscriber()) {
      CompletableFuture<Response> never = new CompletableFuture<>();
      int many = 2 * VerificationPlaces.MAX_UNDER_WAY;
      for (int i = 0; i < many; i++) {
        hanging.onQuestion("h" + i, request -> never);
        request(Mode.SUBSCRIBE, hanging.url("h" + i), Format.ATOM);
      }
      bench.until(() -> bench.client().inFlight() == STRANGERS_AT_HOST);

      subscribe("one");

      bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == 1);
      bench.until(() -> bench.client().inFlight() == STRANGERS_AT_HOST);
      never.complete(Response.text(404, "no"));
      bench.until(this::nothingPends);
      assertThat(subscriptions()).hasSize(1);
    }
  }

  @Test
  void new_requests_at_a_shared_host_that_hang_keep_no_renewal_there_waiting() {
    subscribe("mine");
    bench.until(() -> subscriptions().size() == 1);
    CompletableFuture<Response> never = new CompletableFuture<>();
    for (int i = 0; i < 2 * VerificationPlaces.MAX_UNDER_WAY; i++) {
      subscriber.onQuestion("h" + i, request -> never);
      subscribe("h" + i);
    }
    bench.until(() -> bench.client().inFlight() >= STRANGERS_AT_HOST);
    bench.timer().advance(Duration.ofHours(1));

    subscribe("mine");

    Instant renewed = bench.timer().now().plus(LEASE);
    bench.until(() -> subscriptions().get(0).leaseEndsAt().equals(renewed));
    bench.until(() -> bench.client().inFlight() == STRANGERS_AT_HOST);
    never.complete(Response.text(404, "no"));
    bench.until(this::nothingPends);
  }

  @Test
  void requests_of_one_caller_at_a_shared_host_that_hang_keep_no_other_caller_there_waiting() {
    CompletableFuture<Response> never = new CompletableFuture<>();
    for (int i = 0; i < 2 * VerificationPlaces.MAX_UNDER_WAY; i++) {
      subscriber.onQuestion("h" + i, request -> never);
      request(Mode.SUBSCRIBE, subscriber.url("h" + i), Format.ATOM, Sponsor.stranger("192.0.2.1"));
    }
    bench.until(() -> bench.client().inFlight() >= VerificationPlaces.MAX_OF_CALLER);

    request(Mode.SUBSCRIBE, subscriber.url("other"), Format.ATOM, Sponsor.stranger("192.0.2.2"));

    bench.until(() -> subscriptions().size() == 1);
    bench.until(() -> bench.client().inFlight() == VerificationPlaces.MAX_OF_CALLER);
    never.complete(Response.text(404, "no"));
    bench.until(this::nothingPends);
  }

  @Test
  void more_requests_than_fit_at_once_are_all_verified() {
    int many = VerificationPlaces.MAX_UNDER_WAY + 20;
    for (int i = 0; i < many; i++) {
      subscribe("s" + i);
    }

    bench.until(() -> bench.feed(topic).hasBaseline() && subscriptions().size() == many);
  }
}
