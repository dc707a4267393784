package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registrations that come all at once, and a kill -9 right after the last answer. */
class RegistrationsIT {

  private static final int OF_EACH_PROTOCOL = 500;
  private static final Duration LONG = Duration.ofSeconds(30);

  /** No poll may stand in for the ping. */
  private static final String[] RARE_POLLS = {"--poll-min=12h", "--poll-max=24h"};

  @TempDir Path data;

  @Test
  void five_hundred_concurrent_registrations_of_each_protocol_outlive_a_kill() {
    int port = FreePort.next();
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      String feed = origin.rss("feed.xml", "", "one");
      try (GatewayProcess gateway = GatewayProcess.start(data, port, RARE_POLLS)) {
        assertThat(registerAll(gateway, feed, subscriber))
            .allMatch(answer -> answer.body().contains("success=\"true\""))
            .hasSize(OF_EACH_PROTOCOL);
        assertThat(subscribeAll(gateway, feed, subscriber))
            .allMatch(answer -> answer.statusCode() == 202)
            .hasSize(OF_EACH_PROTOCOL);
        gateway.kill9();
      }
      assertThat(origin.requests("feed.xml")).hasSizeLessThanOrEqualTo(2);

      try (GatewayProcess gateway = GatewayProcess.start(data, port, RARE_POLLS)) {
        // A 202 promises that the callback will be asked, not that it was.
        awaitMeter(gateway, "feedbridge_subscriptions_websub");
        awaitMeter(gateway, "feedbridge_subscriptions_rsscloud");
        assertThat(origin.requests("feed.xml")).hasSizeLessThanOrEqualTo(2);
        origin.rss("feed.xml", "", "two", "one");
        gateway.form("/ping", "url", feed);

        await().atMost(LONG).until(() -> notified(subscriber) == 2 * OF_EACH_PROTOCOL);
      }
    }
  }

  private static long notified(FakeSubscriber subscriber) {
    return IntStream.range(0, OF_EACH_PROTOCOL)
        .boxed()
        .flatMap(i -> Stream.of("cloud" + i, "hub" + i))
        .filter(path -> !subscriber.received(path).isEmpty())
        .count();
  }

  private static void awaitMeter(GatewayProcess gateway, String name) {
    await().atMost(LONG).until(() -> gateway.meter(name) == OF_EACH_PROTOCOL);
  }

  private static List<HttpResponse<String>> registerAll(
      GatewayProcess gateway, String feed, FakeSubscriber subscriber) {
    return joinAll(
        i ->
            gateway.formAsync(
                "/pleaseNotify",
                "notifyProcedure",
                "",
                "domain",
                "127.0.0.1",
                "port",
                Integer.toString(subscriber.port()),
                "path",
                "/cloud" + i,
                "protocol",
                "http-post",
                "url1",
                feed));
  }

  private static List<HttpResponse<String>> subscribeAll(
      GatewayProcess gateway, String feed, FakeSubscriber subscriber) {
    return joinAll(
        i ->
            gateway.formAsync(
                "/hub",
                "hub.mode",
                "subscribe",
                "hub.topic",
                feed,
                "hub.callback",
                subscriber.url("hub" + i)));
  }

  /** All are sent before the first answer is looked at. */
  private static List<HttpResponse<String>> joinAll(
      IntFunction<CompletableFuture<HttpResponse<String>>> request) {
    List<CompletableFuture<HttpResponse<String>>> answers =
        IntStream.range(0, OF_EACH_PROTOCOL).mapToObj(request).toList();
    return answers.stream().map(CompletableFuture::join).toList();
  }
}
