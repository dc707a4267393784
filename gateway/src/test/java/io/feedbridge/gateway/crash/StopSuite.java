package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.GatewayProcess.Exit;
import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM at awkward moments, and starts that must be refused, on one engine. */
abstract class StopSuite {

  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  /** Longer than a laggard's first back-off. */
  static final Duration LONG = Duration.ofSeconds(20);

  /** No poll may stand in for a ping. */
  static final String[] RARE_POLLS = {"--poll-min=12h", "--poll-max=24h"};

  final int port = FreePort.next();
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;

  @AfterEach
  void end() {
    subscriber.close();
    origin.close();
  }

  /** The options by which a gateway uses the engine; no polls stand in for pings. */
  abstract String[] options();

  private GatewayProcess start() {
    return GatewayProcess.start(data, port, options());
  }

  static void assertGraceful(Exit exit) {
    assertThat(exit.code()).as(exit.errors()).isZero();
    assertThat(exit.took()).isLessThan(LONGEST_STOP);
    assertThat(exit.errors()).doesNotContain("ERROR");
  }

  private String subscribed(GatewayProcess gateway, String... paths) {
    String feed = origin.rss("feed.xml", "", "one");
    for (String path : paths) {
      gateway.form(
          "/hub", "hub.mode", "subscribe", "hub.topic", feed, "hub.callback", subscriber.url(path));
    }
    await()
        .atMost(LONG)
        .until(() -> gateway.meter("feedbridge_subscriptions_websub") == paths.length);
    return feed;
  }

  private void ping(GatewayProcess gateway, String feed) {
    origin.rss("feed.xml", "", "two", "one");
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", feed).statusCode())
        .isBetween(200, 299);
  }

  private CompletableFuture<HttpResponse<String>> pleaseNotify(
      GatewayProcess gateway, String path, String feed) {
    return gateway.formAsync(
        "/pleaseNotify",
        "notifyProcedure",
        "",
        "domain",
        "127.0.0.1",
        "port",
        Integer.toString(subscriber.port()),
        "path",
        "/" + path,
        "protocol",
        "http-post",
        "url1",
        feed);
  }

  private void awaitDelivery(String path, int number) {
    await().atMost(LONG).until(() -> subscriber.received(path).size() >= number);
  }

  @Nested
  class SIGTERM_ends_with_0_within_10_seconds {

    @Test
    void when_idle() {
      try (GatewayProcess gateway = start()) {
        assertGraceful(gateway.terminate());
      }
    }

    @Test
    void with_a_round_in_progress_to_slow_subscribers_who_get_it_after_the_restart() {
      String[] slow = new String[40];
      for (int i = 0; i < slow.length; i++) {
        slow[i] = "slow" + i;
      }
      try (GatewayProcess gateway = start()) {
        String feed = subscribed(gateway, slow);
        for (String path : slow) {
          subscriber.answer(path, request -> new CompletableFuture<>());
        }
        ping(gateway, feed);
        awaitDelivery(slow[0], 1);

        assertGraceful(gateway.terminate());
      }
      for (String path : slow) {
        subscriber.answer(path, 200);
      }
      int[] before = new int[slow.length];
      for (int i = 0; i < slow.length; i++) {
        before[i] = subscriber.received(slow[i]).size();
      }
      try (GatewayProcess gateway = start()) {
        for (int i = 0; i < slow.length; i++) {
          awaitDelivery(slow[i], before[i] + 1);
        }
        assertGraceful(gateway.terminate());
      }
    }

    @Test
    void with_a_fetch_that_hangs_and_is_made_again_after_the_restart() {
      try (GatewayProcess gateway = start()) {
        String feed = subscribed(gateway, "one");
        int fetches = origin.requests("feed.xml").size();
        ping(gateway, feed);
        awaitDelivery("one", 1);
        origin.rss("feed.xml", "", "three", "two", "one");
        origin.holdBack("feed.xml", new CompletableFuture<>());
        gateway.form("/ping", "url", feed);
        await().until(() -> origin.requests("feed.xml").size() == fetches + 2);

        assertGraceful(gateway.terminate());
      }
      origin.rss("feed.xml", "", "three", "two", "one");
      try (GatewayProcess gateway = start()) {
        awaitDelivery("one", 2);
        assertThat(subscriber.bodies("one").get(1)).contains("three").doesNotContain(">two<");
        assertGraceful(gateway.terminate());
      }
    }

    @Test
    void with_a_pleaseNotify_that_waits_for_the_feed() {
      String feed = origin.rss("feed.xml", "", "one");
      origin.holdBack("feed.xml", new CompletableFuture<>());
      try (GatewayProcess gateway = start()) {
        CompletableFuture<HttpResponse<String>> waiting = pleaseNotify(gateway, "cloud", feed);
        await().until(() -> !origin.requests("feed.xml").isEmpty());

        assertGraceful(gateway.terminate());
        assertThat(waiting).isCompletedExceptionally();
      }
      origin.rss("feed.xml", "", "one");
      try (GatewayProcess gateway = start()) {
        assertThat(pleaseNotify(gateway, "cloud", feed).join().body()).contains("success=\"true\"");
      }
    }

    @Test
    void with_all_of_that_at_once() {
      String hanging = origin.rss("hanging.xml", "", "one");
      origin.holdBack("hanging.xml", new CompletableFuture<>());
      try (GatewayProcess gateway = start()) {
        String feed = subscribed(gateway, "slow", "laggard");
        subscriber.answer("slow", request -> new CompletableFuture<>());
        subscriber.answer("laggard", request -> new CompletableFuture<>());
        subscriber.onQuestion("asked", request -> new CompletableFuture<Response>());
        CompletableFuture<HttpResponse<String>> fetching = pleaseNotify(gateway, "cloud", hanging);
        CompletableFuture<HttpResponse<String>> testing = pleaseNotify(gateway, "asked", feed);
        ping(gateway, feed);
        awaitDelivery("slow", 1);
        await().until(() -> !subscriber.asked("asked").isEmpty());
        await().until(() -> !origin.requests("hanging.xml").isEmpty());

        assertGraceful(gateway.terminate());
        assertThat(fetching).isCompletedExceptionally();
        assertThat(testing).isDone();
      }
    }

    @Test
    void even_while_it_starts() {
      try (GatewayProcess gateway = GatewayProcess.launch(data, port, options())) {
        await()
            .pollInterval(Duration.ofMillis(5))
            .until(() -> Files.exists(data.resolve("feedbridge.lock")));
        assertGraceful(gateway.terminate());
      }
      try (GatewayProcess gateway = start()) {
        assertGraceful(gateway.terminate());
      }
    }
  }

  final void assertRefused(Path folder, int atPort, String... says) {
    try (GatewayProcess refused = GatewayProcess.launch(folder, atPort, options())) {
      Exit exit = refused.exit();
      assertThat(exit.code()).as(exit.errors()).isEqualTo(1);
      assertThat(exit.errors()).contains(says).doesNotContain("\tat ", "Exception");
    }
  }

  @Nested
  class A_start_that_is_refused_ends_with_1_and_says_why {

    @Test
    void when_another_gateway_has_the_data_folder() {
      try (GatewayProcess first = start()) {
        assertRefused(
            data, FreePort.next(), data.toString(), "in use by another gateway", "--data");
        assertThat(first.meter("feedbridge_feeds")).isZero();
      }
    }

    @Test
    void when_the_port_is_in_use() {
      try (RawHost taken = RawHost.answering("")) {
        int inUse = taken.port();
        assertRefused(data, inUse, "port " + inUse + " on 127.0.0.1 is in use", "--listen");
      }
    }

    @Test
    void when_the_lock_cannot_be_written() throws IOException {
      Files.createDirectory(data.resolve("feedbridge.lock"));
      assertRefused(data, port, data + " cannot be used", "feedbridge.lock", "directory");
    }

    @Test
    void when_the_key_is_damaged() throws IOException {
      Files.write(data.resolve("feedbridge.key"), new byte[] {1, 2, 3});
      assertRefused(data, port, "feedbridge.key", "damaged");
    }
  }
}
