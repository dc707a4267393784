package io.feedbridge.gateway.delivery.webhooks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.subscriptions.Webhook.TargetKind;
import io.feedbridge.websub.DocumentWishes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Documents that are several messages, to a stand-in of a chat, on a clock that stands still. */
@Timeout(300)
class EndpointTargetsTest {

  private static final String TOKEN = "s3cret";

  @TempDir Path data;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private Webhook discord() {
    return bed.webhook(discord(TOKEN));
  }

  private Webhook.Terms discord(String token) {
    return new Webhook.Terms(
        bed.subscriber.url(""),
        List.of(),
        null,
        null,
        DocumentWishes.NONE,
        new Webhook.Target(TargetKind.DISCORD, token, null));
  }

  private void refuseTheSecond() {
    bed.subscriber.answer(
        TOKEN,
        request ->
            received().size() == 2
                ? tooMany()
                : CompletableFuture.completedFuture(Response.empty(204)));
  }

  private List<String> received() {
    return bed.subscriber.bodies(TOKEN);
  }

  private LogConsumer consumer(Webhook webhook) {
    return bed.store.consumers().byName(webhook.consumer()).orElseThrow();
  }

  private void turnToRetry(Webhook webhook, int attempts) {
    bed.until(() -> consumer(webhook).attempts() == attempts);
    bed.timer.turn(Duration.between(bed.timer.now(), consumer(webhook).nextAttemptAt()));
  }

  private static String[] ids(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj("entry%02d"::formatted).toArray(String[]::new);
  }

  private static CompletableFuture<Response> tooMany() {
    return CompletableFuture.completedFuture(
        Response.of(
            429, "application/json", "{\"retry_after\": 40.5, \"global\": false}".getBytes(UTF_8)));
  }

  @Test
  void a_document_goes_on_behind_the_message_that_was_delivered_last() {
    Webhook webhook = discord();
    refuseTheSecond();

    bed.append(feed, ids(1, 25));

    bed.until(() -> received().size() == 2 && consumer(webhook).attempts() == 1);
    assertThat(consumer(webhook).nextAttemptAt())
        .isAfterOrEqualTo(bed.timer.now().plusMillis(40_500));
    turnToRetry(webhook, 1);
    bed.until(() -> received().size() == 4);
    List<String> messages = received();
    assertThat(messages.get(2)).isEqualTo(messages.get(1));
    String all = messages.get(0) + messages.get(1) + messages.get(3);
    for (String id : ids(1, 25)) {
      assertThat(all).containsOnlyOnce("\"title\":\"" + id);
    }
  }

  @Test
  void another_receiver_gets_a_document_that_was_begun_from_its_first_message() {
    Webhook webhook = discord();
    refuseTheSecond();
    bed.append(feed, ids(1, 25));
    bed.until(() -> received().size() == 2 && consumer(webhook).attempts() == 1);

    Bed.done(bed.store.webhooks().change(webhook, discord("other"), true, bed.timer.now()));

    bed.until(() -> bed.subscriber.bodies("other").size() == 3);
    String all = String.join("", bed.subscriber.bodies("other"));
    for (String id : ids(1, 25)) {
      assertThat(all).containsOnlyOnce("\"title\":\"" + id);
    }
  }

  @Test
  void a_message_that_is_refused_for_good_holds_nothing_up() {
    Webhook webhook = discord();
    bed.subscriber.answer(
        TOKEN,
        request ->
            CompletableFuture.completedFuture(
                Response.empty(new String(request.body(), UTF_8).contains("bad") ? 400 : 204)));

    bed.append(feed, "bad");
    for (int i = 1; i < EndpointBatch.MAX_UNMAKEABLE; i++) {
      turnToRetry(webhook, i);
    }
    bed.append(feed, "good");

    bed.until(() -> received().stream().anyMatch(body -> body.contains("good")));
    assertThat(received().stream().filter(body -> body.contains("bad")))
        .hasSize(EndpointBatch.MAX_UNMAKEABLE);
  }

  @Test
  void a_webhook_that_discord_does_not_know_is_disabled() {
    Webhook webhook = discord();
    bed.subscriber.answer(TOKEN, 404);

    bed.append(feed, "a");

    bed.until(
        () ->
            bed.store.webhooks().byId(webhook.id()).orElseThrow().state()
                == Webhook.State.DISABLED);
  }
}
