package io.feedbridge.gateway.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.intake.Intake.Receipt;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of pings and deliveries, in every state of the following they come through. */
class IntakeTest {

  private static final String TOPIC = "http://news.example/feed";
  private static final byte[] BODY = "<rss/>".getBytes(StandardCharsets.UTF_8);
  private static final Instant LATER = StageBench.START.plus(Duration.ofDays(1));

  private final AtomicBoolean full = new AtomicBoolean();
  @TempDir Path data;
  private StageBench bench;
  private FollowedFeed feed;

  @BeforeEach
  void start() {
    bench =
        new StageBench(
            data,
            new ManualTimer(StageBench.START),
            store -> store,
            work ->
                StageBench.faulty(
                    Work.class,
                    work,
                    (method, arguments, rest) ->
                        method.equals("add") && full.get() ? StageBench.diskFull() : rest.call()));
    feed = bench.subscribed(TOPIC, Format.ATOM);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private UpstreamSubscription following(Kind kind, State state) {
    return bench.follow(feed, kind, "http://up.example/", state, 0, LATER, LATER);
  }

  private Receipt deliver(UpstreamSubscription following, String secret) {
    String signature = Signature.sign(SignatureMethod.SHA256, secret, BODY);
    return bench
        .intake()
        .delivery(following.token(), signature, "text/xml", BODY, () -> true)
        .join();
  }

  private WorkItem onlyWork() {
    assertThat(bench.work().waiting()).isEqualTo(1);
    Assignment assignment = bench.work().take(1).get(0);
    return assignment.items().get(0);
  }

  @ParameterizedTest
  @CsvSource({
    "REQUESTING, UNWANTED, 0",
    "REQUESTED,  UNWANTED, 0",
    "ACTIVE,     ACCEPTED, 1",
    "RENEWING,   ACCEPTED, 1",
    "REFUSED,    UNWANTED, 0",
    "ENDING,     UNWANTED, 0",
  })
  void S7_S9_a_delivery_is_taken_only_through_a_live_following(
      State state, Receipt receipt, int work) {
    assertThat(deliver(following(Kind.WEBSUB, state), "secret")).isEqualTo(receipt);
    assertThat(bench.work().waiting()).isEqualTo(work);
  }

  @ParameterizedTest
  @CsvSource({
    "REQUESTING, UNWANTED, 0",
    // The first notification may overtake the answer to the registration.
    "REQUESTED,  ACCEPTED, 1",
    "ACTIVE,     ACCEPTED, 1",
    "RENEWING,   ACCEPTED, 1",
    "REFUSED,    UNWANTED, 0",
    "ENDING,     UNWANTED, 0",
  })
  void a_notification_is_taken_from_a_cloud_that_was_asked(State state, Receipt receipt, int work) {
    UpstreamSubscription following = following(Kind.RSSCLOUD, state);

    assertThat(bench.intake().notification(following.token(), TOPIC).join()).isEqualTo(receipt);
    assertThat(bench.work().waiting()).isEqualTo(work);
  }

  @Test
  void a_notification_for_another_feed_is_unwanted() {
    UpstreamSubscription following = following(Kind.RSSCLOUD, State.ACTIVE);

    assertThat(bench.intake().notification(following.token(), TOPIC + "2").join())
        .isEqualTo(Receipt.UNWANTED);
  }

  @ParameterizedTest
  @EnumSource
  void a_callback_serves_the_protocol_it_was_made_for(Kind kind) {
    UpstreamSubscription following = following(kind, State.ACTIVE);

    Receipt other =
        kind == Kind.WEBSUB
            ? bench.intake().notification(following.token(), TOPIC).join()
            : deliver(following, "secret");

    assertThat(other).isEqualTo(Receipt.UNWANTED);
    assertThat(bench.intake().delivery("no such token", null, null, BODY, () -> true).join())
        .isEqualTo(Receipt.UNWANTED);
  }

  @Test
  void S7_a_signed_delivery_becomes_fat_work_byte_for_byte() {
    deliver(following(Kind.WEBSUB, State.ACTIVE), "secret");

    assertThat(onlyWork())
        .isInstanceOfSatisfying(
            WorkItem.Fat.class,
            fat -> {
              assertThat(fat.body()).isEqualTo(BODY);
              assertThat(fat.contentType()).isEqualTo("text/xml");
              assertThat(fat.via()).isEqualTo(Via.WEBSUB);
              assertThat(fat.receivedAt()).isEqualTo(bench.timer().now());
            });
  }

  @Test
  void S7_a_delivery_with_a_wrong_signature_is_a_light_ping_that_is_not_believed() {
    assertThat(deliver(following(Kind.WEBSUB, State.ACTIVE), "wrong"))
        .isEqualTo(Receipt.NOT_BELIEVED);
    assertThat(onlyWork()).isInstanceOf(WorkItem.Light.class);
  }

  @Test
  void a_forged_delivery_of_a_caller_with_too_many_pings_makes_the_gateway_fetch_nothing() {
    UpstreamSubscription following = following(Kind.WEBSUB, State.ACTIVE);
    String right = Signature.sign(SignatureMethod.SHA256, "secret", BODY);

    assertThat(
            bench
                .intake()
                .delivery(following.token(), "sha256=00", "text/xml", BODY, () -> false)
                .join())
        .isEqualTo(Receipt.TOO_MANY);
    assertThat(bench.work().waiting()).isZero();
    assertThat(
            bench.intake().delivery(following.token(), right, "text/xml", BODY, () -> false).join())
        .isEqualTo(Receipt.ACCEPTED);
  }

  @Test
  void S7_a_delivery_without_a_signature_is_a_light_ping_that_is_not_believed() {
    UpstreamSubscription following = following(Kind.WEBSUB, State.RENEWING);

    assertThat(bench.intake().delivery(following.token(), null, null, BODY, () -> true).join())
        .isEqualTo(Receipt.NOT_BELIEVED);
    assertThat(onlyWork()).isInstanceOf(WorkItem.Light.class);
  }

  @Test
  void a_ping_for_a_feed_that_nobody_follows_is_no_work() {
    assertThat(bench.intake().ping("http://nobody.example/", Via.PING).join()).isFalse();
    bench.unsubscribe(TOPIC);
    assertThat(bench.intake().ping(TOPIC, Via.PUBLISH).join()).isFalse();
    assertThat(bench.work().waiting()).isZero();
  }

  @Test
  void what_cannot_be_written_is_not_acknowledged() {
    UpstreamSubscription following = following(Kind.WEBSUB, State.ACTIVE);
    full.set(true);

    assertThat(bench.intake().ping(TOPIC, Via.PING)).failsWithin(Duration.ofSeconds(5));
    assertThat(bench.intake().delivery(following.token(), null, null, BODY, () -> true))
        .failsWithin(Duration.ofSeconds(5));
  }
}
