package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.websub.IntentRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every move of a following through its states, over real hubs and clouds (rules S3 to S9). */
class UpstreamSubscriberTest {

  private static final Duration LEASE = Duration.ofDays(10);

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  private final FakeCloud cloud = new FakeCloud();
  private final FakeSubscriber scripted = new FakeSubscriber();
  private final Http http = new Http();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
    topic = origin.rss("feed.xml", link(hub.url()), "one");
  }

  @AfterEach
  void stop() {
    bench.close();
    scripted.close();
    cloud.close();
    hub.close();
    origin.close();
  }

  private static String link(String hub) {
    return "<atom:link rel=\"hub\" href=\"" + hub + "\"/>";
  }

  private UpstreamSubscription only() {
    List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  /** The state of the only following, if there is just one. */
  private @Nullable State state() {
    List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
    return all.size() == 1 ? all.get(0).state() : null;
  }

  private UpstreamSubscription following(State state, int attempts, Duration lease) {
    FollowedFeed feed = bench.followed(topic);
    Instant now = bench.timer().now();
    return bench.follow(feed, Kind.WEBSUB, hub.url(), state, attempts, now, now.plus(lease));
  }

  private void restart() {
    bench.close();
    bench = new StageBench(data, bench.timer(), store -> store, work -> work).startIngest();
  }

  @Test
  void renewals_that_a_stop_held_up_are_no_burst() {
    FollowedFeed feed = bench.followed(topic);
    Instant now = bench.timer().now();
    int all = 16 * Renewals.PER_TICK;
    assertThat(all).isGreaterThan(Renewals.MAX_AT_ONCE);
    for (int i = 0; i < all; i++) {
      bench.follow(feed, Kind.WEBSUB, hub.url(), State.ACTIVE, 0, now, now.plus(LEASE));
    }
    hub.neverVerify();

    bench.startUpstream();

    for (int sent = Renewals.PER_TICK; sent <= all; sent += Renewals.PER_TICK) {
      int most = sent;
      bench.until(() -> hub.requests().size() == most);
      bench.timer().advance(Renewals.TICK);
    }
  }

  @Nested
  class Transitions {

    /**
     * Each row: a following that is due, with attempts behind it and a lease of so many hours left,
     * at a hub that answers so, and verifies or not; where it comes to rest, and after how many
     * requests.
     */
    @ParameterizedTest
    @CsvSource({
      "REQUESTING, 0, 0,   202, false, REQUESTED, 1",
      "REQUESTING, 0, 0,   202, true,  ACTIVE,    1",
      "REQUESTING, 0, 0,   201, true,  ACTIVE,    1",
      "REQUESTING, 0, 0,   404, false, REFUSED,   1",
      "REQUESTING, 0, 0,   500, false, REQUESTING, 1",
      "REQUESTING, 0, 0,   302, false, REFUSED,   1",
      "REQUESTED,  1, 0,   202, false, REQUESTED, 1",
      "REQUESTED,  1, 0,   202, true,  ACTIVE,    1",
      "REQUESTED,  2, 0,   202, true,  REFUSED,   0",
      "ACTIVE,     0, 24,  202, true,  ACTIVE,    1",
      "ACTIVE,     0, 24,  202, false, RENEWING,  1",
      "ACTIVE,     0, 24,  404, false, RENEWING,  1",
      "ACTIVE,     0, 24,  500, false, ACTIVE,    1",
      "RENEWING,   1, 24,  202, true,  ACTIVE,    1",
      "RENEWING,   1, 24,  404, false, RENEWING,  1",
      "RENEWING,   1, 24,  500, false, ACTIVE,    1",
      "RENEWING,   9, 0,   202, true,  REFUSED,   0",
      "REFUSED,    1, 0,   202, true,  ACTIVE,    1",
      "REFUSED,    1, 0,   404, false, REFUSED,   1",
      "REFUSED,    1, 0,   500, false, REQUESTING, 1",
      "ENDING,     0, 24,  202, false, ENDING,    1",
    })
    void a_following_that_is_due_moves_on(
        State from, int attempts, int lease, int answer, boolean verifies, State to, int requests) {
      UpstreamSubscription before = following(from, attempts, Duration.ofHours(lease));
      hub.answer(answer);
      if (!verifies) {
        hub.neverVerify();
      }

      bench.startUpstream();
      Instant now = bench.timer().now();
      bench.until(
          () -> {
            List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
            return hub.requests().size() == requests
                && all.size() == 1
                && all.get(0).state() == to
                && all.get(0).nextActionAt().isAfter(now)
                && (answer < 400 || all.get(0).reason() != null);
          });

      UpstreamSubscription after = only();
      if (to == State.ACTIVE && answer < 400) {
        assertThat(after.attempts()).isZero();
        assertThat(after.reason()).isNull();
        assertThat(after.leaseEndsAt()).isEqualTo(now.plus(LEASE));
        bench.until(() -> hub.subscribers(topic) == 1);
      }
      if (from != State.REFUSED) {
        assertThat(after.token()).isEqualTo(before.token());
      } else {
        assertThat(after.token()).isNotEqualTo(before.token());
      }
    }

    @Test
    void ENDING_is_over_a_minute_after_it_was_told() {
      following(State.ENDING, 0, LEASE);
      hub.neverVerify();
      bench.startUpstream();
      bench.until(() -> hub.requests().size() == 1);
      assertThat(Http.first(hub.requests().get(0), "hub.mode")).isEqualTo("unsubscribe");

      bench.timer().advance(UpstreamSubscriber.ENDING_WAIT);

      bench.until(
          () ->
              bench.upstreamSubscriptions(topic).stream()
                  .noneMatch(f -> f.state() == State.ENDING));
      assertThat(hub.requests())
          .filteredOn(request -> Http.first(request, "hub.mode").equals("unsubscribe"))
          .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void S6_a_denial_refuses_a_following_in_every_state_but_ENDING(State state) {
      UpstreamSubscription following = following(state, 0, LEASE);
      IntentRequest.Denied denial = new IntentRequest.Denied(topic, "no\u0000 more");

      assertThat(bench.callbacks().denied(following.token(), denial).join()).isTrue();

      assertThat(state()).isEqualTo(state == State.ENDING ? State.ENDING : State.REFUSED);
      if (state != State.ENDING) {
        assertThat(only().reason()).contains("denied").contains("no").doesNotContain("\u0000");
        assertThat(only().nextActionAt()).isEqualTo(bench.timer().now().plus(Trust.pause(1)));
      }
    }

    @ParameterizedTest
    @EnumSource
    void an_unfollowed_feed_ends_a_following_in_every_state(State state) {
      FollowedFeed feed = bench.followed(topic);
      Instant later = bench.timer().now().plus(Duration.ofHours(1));
      bench.follow(feed, Kind.WEBSUB, hub.url(), state, 0, later, later);
      bench.unsubscribe(topic);

      bench.startUpstream();
      if (state == State.ENDING) {
        bench.timer().advanceTo(later);
      }
      bench.until(() -> state() == State.ENDING && only().attempts() == 1);

      bench.until(() -> hub.requests().size() == 1);
      assertThat(Http.first(hub.requests().get(0), "hub.mode")).isEqualTo("unsubscribe");
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUESTING", "REQUESTED", "ACTIVE", "RENEWING", "REFUSED", "ENDING"})
    void S5_a_verification_is_answered_only_where_something_was_asked(State state) {
      UpstreamSubscription following = following(state, 1, LEASE);
      IntentRequest.Verify question =
          (IntentRequest.Verify)
              IntentRequest.parse(
                  Map.of(
                      "hub.mode",
                      List.of("subscribe"),
                      "hub.topic",
                      List.of(topic),
                      "hub.challenge",
                      List.of("c"),
                      "hub.lease_seconds",
                      List.of("3600")));

      boolean confirmed = bench.callbacks().verify(following.token(), question).join().isPresent();

      assertThat(confirmed)
          .isEqualTo(List.of(State.REQUESTED, State.ACTIVE, State.RENEWING).contains(state));
      assertThat(state()).isEqualTo(confirmed ? State.ACTIVE : state);
    }
  }

  @Nested
  class Hubs {

    @Test
    void S3_a_request_names_an_unguessable_callback_a_secret_a_token_and_a_lease() {
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> hub.subscribers(topic) == 1);

      Map<String, List<String>> form = hub.requests().get(0);
      assertThat(Http.first(form, "hub.callback"))
          .isEqualTo(bench.publicUrl() + "/callback/websub/" + only().token());
      assertThat(only().token()).hasSizeGreaterThan(20);
      assertThat(form.get("hub.verify")).containsExactly("async", "sync");
      assertThat(Http.first(form, "hub.secret")).isEqualTo(only().secret());
      assertThat(Http.first(form, "hub.verify_token")).isNotBlank();
      assertThat(Http.first(form, "hub.lease_seconds")).isEqualTo("1209600");
    }

    @Test
    void a_hub_may_verify_before_it_answers_and_then_answer_anything() {
      topic = origin.rss("feed.xml", link(scripted.url("sync")), "one");
      scripted.answer(
          "sync",
          request ->
              CompletableFuture.supplyAsync(
                      () ->
                          http.get(
                              Http.first(request.form(), "hub.callback")
                                  + "?"
                                  + Http.encode(
                                      "hub.mode",
                                      "subscribe",
                                      "hub.topic",
                                      topic,
                                      "hub.challenge",
                                      "c",
                                      "hub.verify_token",
                                      Http.first(request.form(), "hub.verify_token"))))
                  .thenApply(reply -> Response.text(reply.statusCode() == 200 ? 500 : 404, "?")));
      bench.followed(topic);

      bench.startUpstream();
      bench.until(() -> scripted.received("sync").size() == 1 && state() == State.ACTIVE);
      bench.until(() -> bench.client().inFlight() == 0);

      assertThat(state()).isEqualTo(State.ACTIVE);
      // Without hub.lease_seconds the lease is counted as the longest.
      assertThat(only().leaseEndsAt()).isEqualTo(bench.timer().now().plus(Duration.ofDays(14)));
    }

    @Test
    void S4_307_leads_to_another_hub_url_but_not_for_ever() {
      topic = origin.rss("feed.xml", link(scripted.url("moved")), "one");
      scripted.answer(
          "moved",
          request ->
              CompletableFuture.completedFuture(
                  Response.text(307, "there").withHeader("Location", hub.url())));
      bench.followed(topic);

      bench.startUpstream();
      bench.until(() -> hub.subscribers(topic) == 1 && state() == State.ACTIVE);

      scripted.answer(
          "circle",
          request ->
              CompletableFuture.completedFuture(
                  Response.text(308, "here").withHeader("Location", scripted.url("circle"))));
      String other = origin.rss("other.xml", link(scripted.url("circle")), "one");
      bench.followed(other);
      bench.until(
          () ->
              bench.upstreamSubscriptions(other).stream()
                  .anyMatch(f -> f.state() == State.REFUSED));
      assertThat(scripted.received("circle")).hasSizeLessThan(6);
    }

    @Test
    void a_secret_is_not_sent_on_to_where_others_could_read_it() {
      topic = origin.rss("feed.xml", link(scripted.url("moved")), "one");
      scripted.answer(
          "moved",
          request ->
              CompletableFuture.completedFuture(
                  Response.text(307, "there").withHeader("Location", "http://hub.example/")));
      bench.followed(topic);

      bench.startUpstream();
      bench.until(
          () ->
              bench.upstreamSubscriptions(topic).stream()
                  .anyMatch(f -> f.state() == State.REFUSED));

      assertThat(only().reason()).contains("http://hub.example/", "read the secret");
    }

    @Test
    void S8_a_lease_is_renewed_when_between_a_quarter_and_a_tenth_of_it_is_left() {
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> hub.subscribers(topic) == 1 && state() == State.ACTIVE);
      Instant granted = bench.timer().now();
      assertThat(only().nextActionAt())
          .isBetween(granted.plus(Duration.ofHours(180)), granted.plus(Duration.ofHours(216)));

      bench.timer().advanceTo(only().nextActionAt());
      bench.until(() -> hub.requests().size() == 2 && state() == State.ACTIVE);

      assertThat(hub.requests().get(1).get("hub.callback"))
          .isEqualTo(hub.requests().get(0).get("hub.callback"));
      assertThat(only().leaseEndsAt()).isEqualTo(bench.timer().now().plus(LEASE));
    }

    @Test
    void S8_a_lease_longer_than_14_days_counts_as_14_days() {
      hub.lease(Integer.MAX_VALUE);
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> hub.subscribers(topic) == 1 && state() == State.ACTIVE);

      assertThat(only().leaseEndsAt()).isEqualTo(bench.timer().now().plus(Duration.ofDays(14)));
    }

    @Test
    void a_renewal_is_tried_until_the_lease_ends_and_then_the_next_way_is_taken_at_once() {
      topic = origin.rss("feed.xml", link(hub.url()) + cloud.element(), "one");
      hub.lease(600);
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> hub.subscribers(topic) == 1 && state() == State.ACTIVE);
      Instant ends = Objects.requireNonNull(only().leaseEndsAt());
      hub.answer(404);

      while (bench.timer().now().isBefore(ends)) {
        UpstreamSubscription hubs = bench.upstreamSubscriptions(topic).get(0);
        assertThat(hubs.state().isLive()).isTrue();
        bench.timer().advanceTo(hubs.nextActionAt());
        int attempts = hubs.attempts();
        bench.until(
            () -> {
              UpstreamSubscription now = bench.upstreamSubscriptions(topic).get(0);
              return now.attempts() > attempts || now.state() == State.REFUSED;
            });
      }

      assertThat(bench.timer().now()).isEqualTo(ends);
      assertThat(hub.requests()).hasSizeBetween(3, 20);
      bench.until(() -> cloud.registered(topic) == 1);
      bench.until(
          () ->
              bench.upstreamSubscriptions(topic).stream()
                  .map(UpstreamSubscription::state)
                  .toList()
                  .equals(List.of(State.REFUSED, State.ACTIVE)));
    }

    @Test
    void a_hub_that_never_confirms_is_asked_twice_and_then_refused() {
      hub.neverVerify();
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> hub.requests().size() == 1 && state() == State.REQUESTED);
      bench.timer().advance(UpstreamSubscriber.CONFIRMATION_WAIT);
      bench.until(() -> hub.requests().size() == 2 && only().attempts() == 2);
      bench.timer().advance(UpstreamSubscriber.CONFIRMATION_WAIT);
      bench.until(() -> state() == State.REFUSED);

      assertThat(hub.requests()).hasSize(2);
      assertThat(only().reason()).contains("never confirmed");
    }

    @Test
    void what_a_hub_says_is_kept_in_one_short_line() {
      topic = origin.rss("feed.xml", link(scripted.url("rude")), "one");
      scripted.answer(
          "rude",
          request ->
              CompletableFuture.completedFuture(
                  Response.text(400, "\u0000go\r\naway " + "😀".repeat(5_000))));
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> state() == State.REFUSED);

      String reason = Objects.requireNonNull(only().reason());
      assertThat(reason).contains("go").contains("away").hasSizeLessThan(500);
      assertThat(reason.codePoints()).noneMatch(Character::isISOControl);
      assertThat(reason.codePoints()).noneMatch(c -> Character.getType(c) == Character.SURROGATE);
    }

    @Test
    void a_verification_that_crosses_the_renewal_is_confirmed_all_the_same() {
      bench.close();
      AtomicInteger crossings = new AtomicInteger();
      bench =
          new StageBench(
                  data,
                  new ManualTimer(StageBench.START),
                  StageBench.faultyPart(
                      UpstreamSubscriptions.class,
                      (method, arguments, rest) -> {
                        if (method.equals("move") && crossings.getAndDecrement() > 0) {
                          // Somebody else moved it first.
                          UpstreamSubscription to =
                              (UpstreamSubscription) Objects.requireNonNull(arguments[1]);
                          UpstreamSubscription renewing =
                              to.with(State.RENEWING, to.nextActionAt(), 1, null);
                          arguments[1] = renewing;
                          rest.call();
                          arguments[1] = to;
                        }
                        return rest.call();
                      }),
                  work -> work)
              .startIngest();
      UpstreamSubscription following = following(State.ACTIVE, 0, LEASE);
      crossings.set(1);

      String answer =
          http.get(
                  bench.urls().callback(following)
                      + "?"
                      + Http.encode(
                          "hub.mode",
                          "subscribe",
                          "hub.topic",
                          topic,
                          "hub.challenge",
                          "c-1",
                          "hub.lease_seconds",
                          "3600"))
              .body();

      assertThat(answer).isEqualTo("c-1");
      assertThat(state()).isEqualTo(State.ACTIVE);
    }
  }

  @Nested
  class Clouds {

    @Test
    void a_registration_is_renewed_after_23_to_24_hours() {
      topic = origin.rss("feed.xml", cloud.element(), "one");
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> cloud.registered(topic) == 1 && state() == State.ACTIVE);
      Instant now = bench.timer().now();
      assertThat(only().leaseEndsAt()).isEqualTo(now.plus(Duration.ofHours(25)));
      assertThat(only().nextActionAt())
          .isBetween(now.plus(Duration.ofHours(23)), now.plus(Duration.ofHours(24)));

      bench.timer().advanceTo(only().nextActionAt());

      bench.until(() -> cloud.requests().size() == 2 && state() == State.ACTIVE);
      assertThat(only().leaseEndsAt()).isEqualTo(bench.timer().now().plus(Duration.ofHours(25)));
    }

    @Test
    void a_notification_makes_one_fetch() {
      topic = origin.rss("feed.xml", cloud.element(), "one");
      bench.followed(topic);
      bench.startUpstream();
      bench.until(() -> cloud.registered(topic) == 1 && state() == State.ACTIVE);
      int fetches = origin.requests("feed.xml").size();
      origin.rss("feed.xml", cloud.element(), "two", "one");

      assertThat(cloud.notify(topic).statusCode()).isEqualTo(200);
      bench.untilIdle();

      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(origin.requests("feed.xml")).hasSize(fetches + 1);
    }

    @ParameterizedTest
    @CsvSource({
      "200,<notifyResult success=\"false\" msg=\"no&#10;way\"/>",
      "500,<notifyResult success=\"true\" msg=\"\"/>",
      "200,hello",
    })
    void a_cloud_that_says_no_or_nonsense_is_refused(int status, String answer) {
      String element =
          "<cloud domain=\"127.0.0.1\" port=\"%d\" path=\"/no\" registerProcedure=\"\" protocol=\"http-post\"/>"
              .formatted(scripted.port());
      topic = origin.rss("feed.xml", element, "one");
      scripted.answer(
          "no", request -> CompletableFuture.completedFuture(Response.text(status, answer)));
      bench.followed(topic);

      bench.startUpstream();

      bench.until(() -> state() == State.REFUSED);
      assertThat(Objects.requireNonNull(only().reason()).chars())
          .noneMatch(Character::isISOControl);
    }
  }

  @Nested
  class Restarts {

    @ParameterizedTest
    @CsvSource({
      "REQUESTING, 1",
      "REQUESTED,  0",
      "ACTIVE,     0",
      "RENEWING,   0",
      "REFUSED,    0",
      "ENDING,     0",
    })
    void a_restart_goes_on_in_each_state_and_sends_only_what_is_due(State state, int requests) {
      FollowedFeed feed = bench.followed(topic);
      Instant now = bench.timer().now();
      Instant next = state == State.REQUESTING ? now : now.plus(Duration.ofMinutes(1));
      bench.follow(feed, Kind.WEBSUB, hub.url(), state, 1, next, now.plus(LEASE));
      restart();
      // Whatever the first may be due to send is sent before this one's.
      String other = origin.rss("other.xml", link(hub.url()), "one");

      bench.startUpstream();
      bench.followed(other);
      bench.until(() -> hub.subscribers(other) == 1);

      assertThat(hub.requests())
          .filteredOn(request -> Http.first(request, "hub.topic").equals(topic))
          .hasSize(
              state == State.ENDING ? bench.upstreamSubscriptions(topic).size() - 1 : requests);
    }

    @Test
    void a_step_that_cannot_be_recorded_rests_before_it_is_repeated() {
      following(State.REQUESTING, 0, LEASE);
      bench.close();
      AtomicInteger moves = new AtomicInteger();
      AtomicInteger looks = new AtomicInteger();
      ManualTimer timer = new ManualTimer(StageBench.START);
      bench =
          new StageBench(
              data,
              timer,
              StageBench.faultyPart(
                  UpstreamSubscriptions.class,
                  (method, arguments, rest) -> {
                    if (method.equals("due")) {
                      looks.incrementAndGet();
                    }
                    return method.equals("move") && moves.incrementAndGet() <= 2
                        ? StageBench.diskFull()
                        : rest.call();
                  }),
              work -> work);
      bench.startUpstream();
      bench.until(() -> moves.get() == 1);
      int seen = looks.get();
      bench.store().upstreamSubscriptions().chooseAgain(bench.feed(topic).id()).join();
      bench.until(() -> looks.get() > seen);
      assertThat(moves).hasValue(1);
      assertThat(hub.requests()).isEmpty();

      timer.advance(Duration.ofSeconds(5));
      bench.until(() -> moves.get() == 2 && timer.runsOneIn(Duration.ofSeconds(5)));
      timer.advance(Duration.ofSeconds(5));
      bench.until(() -> hub.subscribers(topic) == 1);
    }
  }
}
