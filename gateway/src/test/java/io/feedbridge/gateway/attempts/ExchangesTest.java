package io.feedbridge.gateway.attempts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Replies;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests and answers of failed attempts are on record, across restarts too. */
class ExchangesTest {

  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-03-01T12:00:00.123Z"), ZoneOffset.UTC);

  @TempDir Path folder;

  private Attempts open() {
    return Attempts.open(folder, CLOCK);
  }

  private static Call call() {
    return Call.post(
            new Destination("https://app.example/hook/s3cret", "https://app.example/hook/…"),
            Purpose.CALLBACK,
            "{}".getBytes(StandardCharsets.UTF_8))
        .header(new Header("webhook-id", "msg_1"))
        .header(new Header("Authorization", "Basic c2VjcmV0"))
        .header(new Header("X-Gotify-Key", "s3cret"))
        .build();
  }

  private static Reply reply(int status, String body) {
    return reply(status, body, Map.of());
  }

  private static Reply reply(int status, String body, Map<String, String> fields) {
    return Replies.of(
        status, "https://app.example/hook", fields, body.getBytes(StandardCharsets.UTF_8));
  }

  private static RunningAttempt begin(Attempts attempts, long subscription) {
    return attempts.begin(subscription, 1, 1, Attempt.Kind.LOG, 2);
  }

  private static void fail(Attempts attempts, long subscription, Reply reply) {
    begin(attempts, subscription).ended(DeliveryOutcome.REFUSED, call(), reply, null);
  }

  private static List<Exchange> of(Attempts attempts, long subscription) {
    return attempts.of(subscription).stream()
        .map(attempts::exchange)
        .flatMap(Optional::stream)
        .toList();
  }

  private static Exchange.Answer answer(Exchange exchange) {
    return Objects.requireNonNull(exchange.answer());
  }

  private Exchange kept(Reply reply) {
    try (Attempts attempts = open()) {
      fail(attempts, 7, reply);
    }
    try (Attempts attempts = open()) {
      return of(attempts, 7).get(0);
    }
  }

  @Test
  void a_failed_attempt_has_its_request_and_its_answer_after_a_restart_too() {
    Exchange exchange = kept(reply(500, "no such user", Map.of("Server", "nginx")));

    assertThat(exchange)
        .isEqualTo(
            new Exchange(
                new Exchange.Sent(
                    "POST",
                    "https://app.example/hook/…",
                    List.of(
                        new Exchange.Field("webhook-id", "msg_1"),
                        new Exchange.Field("Authorization", "…"),
                        new Exchange.Field("X-Gotify-Key", "…"))),
                new Exchange.Answer(
                    500, List.of(new Exchange.Field("Server", "nginx")), "no such user", false),
                null));
  }

  @Test
  void an_attempt_without_an_answer_has_the_reason() {
    try (Attempts attempts = open()) {
      begin(attempts, 7)
          .ended(DeliveryOutcome.TIMEOUT, call(), null, new IOException("nothing came"));
    }
    try (Attempts attempts = open()) {
      assertThat(of(attempts, 7)).extracting(Exchange::error).containsExactly("nothing came");
    }
  }

  @Test
  void a_long_answer_is_cut() {
    Exchange exchange = kept(reply(500, "x".repeat(5_000), Map.of("A", "a".repeat(9_000))));

    assertThat(answer(exchange).body()).isEqualTo("x".repeat(Exchange.MAX_BODY));
    assertThat(answer(exchange).cut()).isTrue();
    assertThat(answer(exchange).headers()).isEmpty();
  }

  @Test
  void an_answer_of_bytes_that_JSON_makes_long_has_a_place() {
    String hostile = "\u0000\"\\".repeat(400);
    Exchange exchange = kept(reply(500, hostile, Map.of("A", "\"\\".repeat(700))));

    assertThat(answer(exchange).status()).isEqualTo(500);
  }

  @Test
  void a_subscription_keeps_its_last_four_whatever_others_do() {
    try (Attempts attempts = open()) {
      for (int i = 1; i <= ExchangeFile.SLOTS + 2; i++) {
        fail(attempts, 7, reply(500 + i, ""));
        awaitWritten(attempts, 7, 500 + i);
      }
      for (int i = 0; i < 2_000; i++) {
        fail(attempts, 8, reply(599, ""));
      }
    }
    try (Attempts attempts = open()) {
      assertThat(of(attempts, 7))
          .extracting(one -> answer(one).status())
          .containsExactlyInAnyOrder(503, 504, 505, 506);
      assertThat(of(attempts, 8)).hasSizeLessThanOrEqualTo(ExchangeFile.SLOTS);
    }
    assertThat(folder.resolve(ExchangeFile.NAME))
        .satisfies(file -> assertThat(Files.size(file)).isLessThan(1 << 20));
  }

  /** Exchanges of one set that wait at once replace each other. */
  private void awaitWritten(Attempts attempts, long subscription, int status) {
    await()
        .until(
            () ->
                of(attempts, subscription).stream()
                    .anyMatch(one -> answer(one).status() == status));
  }

  @Test
  void a_sample_of_the_delivered_attempts_is_kept() {
    try (Attempts attempts = open()) {
      for (int i = 0; i < 1_000; i++) {
        begin(attempts, i).ended(DeliveryOutcome.DELIVERED, call(), reply(204, ""), null);
      }
      assertThat(of(attempts, 0)).hasSize(1);
      long kept = 0;
      for (int i = 0; i < 1_000; i++) {
        kept += of(attempts, i).size();
      }
      assertThat(kept).isLessThan(500);
    }
  }

  @Test
  void an_exchange_of_an_attempt_whose_id_is_used_again_is_not_shown() throws IOException {
    kept(reply(500, "the old one"));
    Files.delete(folder.resolve(AttemptFile.NAME));

    try (Attempts attempts = Attempts.open(folder, Clock.offset(CLOCK, Duration.ofSeconds(1)))) {
      RunningAttempt again = begin(attempts, 7);
      again.ended(DeliveryOutcome.REFUSED, 500);
      assertThat(of(attempts, 7)).isEmpty();
    }
  }

  @Test
  void a_damaged_place_has_no_exchange_and_hurts_no_other() throws IOException {
    try (Attempts attempts = open()) {
      fail(attempts, 7, reply(500, "damaged"));
      fail(attempts, 8, reply(500, "whole"));
    }
    try (RandomAccessFile file =
        new RandomAccessFile(folder.resolve(ExchangeFile.NAME).toFile(), "rw")) {
      file.seek(7L * ExchangeFile.SLOTS * ExchangeFile.SLOT_BYTES + 100);
      file.write(0);
    }
    try (Attempts attempts = open()) {
      assertThat(of(attempts, 7)).isEmpty();
      assertThat(of(attempts, 8)).hasSize(1);
    }
  }
}
