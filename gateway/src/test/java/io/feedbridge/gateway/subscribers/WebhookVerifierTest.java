package io.feedbridge.gateway.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often, and how many at once, endpoints are asked, on a clock that stands still. */
class WebhookVerifierTest {

  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startWebhookVerifier();
  }

  @AfterEach
  void stop() {
    bench.close();
    subscriber.close();
  }

  private Webhook add(String url) {
    return bench
        .store()
        .webhooks()
        .create(
            new Webhook.Terms(url, List.of(), null, null),
            "tag",
            WebhookSecret.make(WebhookSecret.Scheme.SHARED, new SecureRandom()).text(),
            false,
            bench.timer().now())
        .join()
        .orElseThrow();
  }

  private Webhook reread(Webhook webhook) {
    return bench.store().webhooks().byId(webhook.id()).orElseThrow();
  }

  @Test
  void one_that_does_not_confirm_is_asked_five_times_and_then_only_by_hand() {
    FakeEndpoint endpoint = new FakeEndpoint(subscriber, "one");
    endpoint.onChallenge(500, "");
    Webhook webhook = add(endpoint.url());
    for (int attempts = 1; attempts <= WebhookVerifier.PAUSES.size(); attempts++) {
      int so = attempts;
      bench.until(() -> reread(webhook).attempts() == so);
      Duration pause = WebhookVerifier.PAUSES.get(attempts - 1);
      assertThat(reread(webhook).nextAttemptAt()).isEqualTo(bench.timer().now().plus(pause));
      bench.until(() -> bench.timer().nextAt().isPresent());
      bench.timer().advance(pause);
    }

    bench.until(() -> reread(webhook).attempts() == 5);

    assertThat(reread(webhook).nextAttemptAt()).isNull();
    assertThat(reread(webhook).state()).isEqualTo(Webhook.State.PENDING);
    assertThat(reread(webhook).reason()).startsWith("it answered HTTP 500");
    bench.timer().advance(Duration.ofDays(1));
    assertThat(endpoint.challenges()).hasSize(5);
    endpoint.confirm();
    bench.store().webhooks().enable(webhook.id(), bench.timer().now()).join();
    bench.until(() -> reread(webhook).state() == Webhook.State.ACTIVE);
  }

  @Test
  void one_that_nobody_is_at_stays_pending_with_the_reason() {
    Webhook webhook = add("http://127.0.0.1:" + FreePort.next() + "/");

    bench.until(() -> reread(webhook).attempts() == 1);

    assertThat(reread(webhook).reason()).startsWith("it could not be reached: ");
    assertThat(reread(webhook).nextAttemptAt()).isNotNull();
  }

  @Test
  void a_host_that_hangs_is_asked_for_so_many_at_once_and_holds_up_no_other() {
    FakeSubscriber other = new FakeSubscriber();
    CompletableFuture<Response> never = new CompletableFuture<>();
    int many = 2 * WebhookVerifier.MAX_UNDER_WAY;
    for (int i = 0; i < many; i++) {
      subscriber.answer("stuck" + i, request -> never);
      add(subscriber.url("stuck" + i));
    }
    Webhook well = add(new FakeEndpoint(other, "well").url());

    bench.until(() -> reread(well).state() == Webhook.State.ACTIVE);

    long asked = 0;
    for (int i = 0; i < many; i++) {
      asked += subscriber.received("stuck" + i).size();
    }
    assertThat(asked).isLessThanOrEqualTo(WebhookVerifier.MAX_PER_HOST);
    other.close();
  }
}
