package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Strangers against the admission of callers and against others' subscriptions. Each caller has an
 * address of its own, as a trusted proxy names it.
 */
@Timeout(600)
class AdmissionAttack {

  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String OWNER = "192.0.2.1";
  private static final String NEWCOMER = "192.0.2.2";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration SLACK = Duration.ofMillis(500);

  private final HttpClient client = HttpClient.newHttpClient();
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean over = new AtomicBoolean();
  @TempDir Path data;
  private GatewayProcess gateway;

  @BeforeEach
  void start() {
    gateway =
        GatewayProcess.start(
            data,
            FreePort.next(),
            "--admin-token=" + TOKEN,
            "--trust-proxy=127.0.0.0/8",
            "--poll-min=12h",
            "--poll-max=24h");
  }

  @AfterEach
  void stop() {
    over.set(true);
    threads.shutdownNow();
    gateway.close();
    origin.close();
    subscriber.close();
  }

  // What callers do.

  private HttpResponse<String> send(String caller, String path, String type, String body) {
    return send(
        HttpRequest.newBuilder(URI.create(gateway.url(path)))
            .header("X-Forwarded-For", caller)
            .header("Content-Type", type)
            .timeout(PATIENCE)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> operator(String method, String path, String body) {
    return send(
        HttpRequest.newBuilder(URI.create(gateway.url(path)))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", "application/json")
            .timeout(PATIENCE)
            .method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<String> subscribe(String caller, String topic, String callback) {
    return send(
        caller,
        "/hub",
        "application/x-www-form-urlencoded",
        Http.encode(
            "hub.mode",
            "subscribe",
            "hub.topic",
            topic,
            "hub.callback",
            callback,
            "format",
            "raw"));
  }

  private void publish(String topic) {
    assertThat(
            send(
                    OWNER,
                    "/hub",
                    "application/x-www-form-urlencoded",
                    Http.encode("hub.mode", "publish", "hub.url", topic))
                .statusCode())
        .isEqualTo(204);
  }

  private String json(HttpResponse<String> answer, String field) {
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    try {
      return new ObjectMapper().readTree(answer.body()).path(field).asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void inParallel(int count, IntConsumer attacker) {
    for (int i = 0; i < count; i++) {
      int number = i;
      threads.execute(
          () -> {
            try {
              attacker.accept(number);
            } catch (IllegalStateException | UncheckedIOException e) {
              if (!over.get()) {
                throw e;
              }
            }
          });
    }
  }

  private static Duration median(List<Duration> took) {
    return took.stream().sorted().toList().get(took.size() / 2);
  }

  private static Duration longest(List<Duration> took) {
    return took.stream().max(Duration::compareTo).orElseThrow();
  }

  private static void assertHardlyLonger(Duration with, Duration without) {
    assertThat(with).isLessThan(without.multipliedBy(2).plus(SLACK));
  }

  // Webhooks that were changed.

  private String webhook(String path) {
    String url = subscriber.url(path);
    String body = "{\"url\":\"%s\",\"topics\":[\"*\"],\"verified\":true}".formatted(url);
    return json(operator("POST", "/api/v1/webhooks", body), "id");
  }

  private void move(String webhook, String path) {
    String body = "{\"url\":\"%s\",\"verified\":true}".formatted(subscriber.url(path));
    json(operator("PATCH", "/api/v1/webhooks/" + webhook, body), "id");
  }

  private String state(String webhook) {
    return json(operator("GET", "/api/v1/webhooks/" + webhook, ""), "state");
  }

  private String follow(String path) {
    String topic = origin.rss(path, "", "one");
    json(operator("POST", "/api/v1/feeds", "{\"url\":\"%s\"}".formatted(topic)), "id");
    await().atMost(PATIENCE).until(() -> !origin.requests(path).isEmpty());
    return topic;
  }

  @Test
  void the_old_url_of_a_webhook_says_410_after_it_was_changed() {
    String topic = follow("feed.xml");
    CompletableFuture<Response> old = new CompletableFuture<>();
    subscriber.answer("old", request -> old);
    String webhook = webhook("old");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              origin.rss("feed.xml", "", "item" + System.nanoTime(), "one");
              publish(topic);
              return !subscriber.received("old").isEmpty();
            });

    move(webhook, "new");
    old.complete(Response.empty(410));

    await().atMost(PATIENCE).until(() -> !subscriber.received("new").isEmpty());
    assertThat(state(webhook)).isEqualTo("active");
  }

  @Test
  void the_old_url_of_a_webhook_asked_for_a_day_without_requests() {
    String topic = follow("feed.xml");
    subscriber.answer(
        "old",
        request ->
            CompletableFuture.completedFuture(
                Response.empty(503).withHeader("Retry-After", "86400")));
    String webhook = webhook("old");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              origin.rss("feed.xml", "", "item" + System.nanoTime(), "one");
              publish(topic);
              return !subscriber.received("old").isEmpty();
            });

    move(webhook, "new");

    await().atMost(PATIENCE).until(() -> !subscriber.received("new").isEmpty());
  }

  // Passwords.

  private HttpResponse<String> save(String caller, String login, String secret) {
    String rss = FakeOrigin.rssOf("", "one").replace("&", "&amp;").replace("<", "&lt;");
    String call =
        "<methodCall><methodName>rssCloud.saveRss</methodName><params><param><value>%s</value></param>"
            + "<param><value>%s</value></param><param><value>%s</value></param></params></methodCall>";
    return send(caller, "/RPC2", "text/xml", call.formatted(login, secret, rss));
  }

  private Duration saved(String caller, String login, String secret) {
    long began = System.nanoTime();
    HttpResponse<String> answer = save(caller, login, secret);
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("/files/" + login + "/rss.xml").doesNotContain("<fault>");
    return took;
  }

  @Test
  void wrong_passwords_over_40_connections_from_one_caller_and_from_40() {
    String token =
        json(
            operator("POST", "/api/v1/tokens", "{\"login\":\"bull\",\"rights\":[\"save\"]}"),
            "token");
    String password = password("bull");
    saved(OWNER, "bull", password);
    List<Duration> without = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      without.add(saved("192.0.2.9", "bull", token));
    }
    AtomicInteger tries = new AtomicInteger();
    inParallel(
        40,
        i -> {
          while (!over.get()) {
            String caller = i < 20 ? "198.51.100.1" : "198.51.100." + i;
            save(caller, "bull", "wrong" + tries.incrementAndGet());
          }
        });
    await().atMost(PATIENCE).until(() -> tries.get() > 200);

    List<Duration> with = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      with.add(saved("192.0.2.9", "bull", token));
    }
    for (int i = 0; i < 3; i++) {
      saved(OWNER, "bull", password);
    }

    assertHardlyLonger(median(with), median(without));
    assertThat(operator("GET", "/api/v1/callers", "").body())
        .contains("198.51.100.1", "\"passwords\"");
  }

  private String password(String login) {
    GatewayProcess.Exit made = GatewayProcess.command("user", "add", login, "--data=" + data);
    assertThat(made.code()).as(made.errors()).isZero();
    String[] words = made.errors().strip().split("\\s+", -1);
    return words[words.length - 1];
  }

  // Requests for a host of callbacks.

  @Test
  void very_many_bogus_requests_for_the_host_of_a_real_subscriber() {
    int real = 15;
    String topic = follow("feed.xml");
    for (int i = 0; i < real; i++) {
      assertThat(subscribe(OWNER, topic, subscriber.url("real" + i)).statusCode()).isEqualTo(202);
    }
    await().atMost(PATIENCE).until(() -> subscriptions(topic) == real);
    List<Integer> refused = new ArrayList<>();
    for (int i = 0; i < 2_550; i++) {
      subscriber.onQuestion("bogus" + i, AdmissionAttack::nothing);
      int status = subscribe("198.51.100.1", topic, subscriber.url("bogus" + i)).statusCode();
      if (status != 202) {
        refused.add(status);
      }
    }
    for (int i = 0; i < real; i++) {
      assertThat(subscribe(OWNER, topic, subscriber.url("real" + i)).statusCode()).isEqualTo(202);
    }
    assertThat(subscribe(NEWCOMER, topic, subscriber.url("newcomer")).statusCode()).isEqualTo(202);

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              for (int i = 0; i < real; i++) {
                assertThat(subscriber.asked("real" + i)).hasSize(2);
              }
            });
    await().atMost(PATIENCE).until(() -> subscriptions(topic) == real + 1);
    assertThat(refused).as("the attacker is held back").hasSizeGreaterThan(2_000).containsOnly(429);
  }

  private static CompletableFuture<Response> nothing(Request request) {
    return CompletableFuture.completedFuture(Response.text(404, "nothing is here"));
  }

  private int subscriptions(String topic) {
    HttpResponse<String> answer =
        operator("GET", "/api/v1/subscriptions?limit=500&" + Http.encode("topic", topic), "");
    try {
      return new ObjectMapper().readTree(answer.body()).path("items").size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Subscribers that hang on large documents.

  /** How long the retry of a delivery takes that failed once. */
  private Duration retry(String topic, String path, int number) {
    AtomicInteger got = new AtomicInteger();
    subscriber.answer(
        path,
        request ->
            CompletableFuture.completedFuture(
                Response.empty(got.incrementAndGet() == 1 ? 500 : 204)));
    long began = System.nanoTime();
    origin.rss(path + ".xml", "", "item" + number, "one");
    publish(topic);
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> got.get() >= 2);
    return Duration.ofNanos(System.nanoTime() - began);
  }

  @Test
  void subscribers_that_hang_on_documents_of_15_MiB_beside_retries_of_others() {
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String topic = follow("well" + i + ".xml");
      topics.add(topic);
      subscribe(OWNER, topic, subscriber.url("well" + i));
      await().atMost(PATIENCE).until(() -> subscriptions(topic) == 1);
    }
    List<Duration> without = new ArrayList<>();
    for (int i = 0; i < topics.size(); i++) {
      without.add(retry(topics.get(i), "well" + i, 1));
    }
    try (HangingHosts hosts = new HangingHosts(40)) {
      List<String> large = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String path = "large" + i;
        large.add(origin.serve(path, "text/plain", largeText(0)));
        for (String callback : hosts.callbacks(i * 10, 10)) {
          assertThat(subscribe("198.51.100.1", large.get(i), callback).statusCode()).isEqualTo(202);
        }
      }
      await().atMost(PATIENCE).until(() -> hosts.asked() == 40);
      for (int i = 0; i < 4; i++) {
        origin.serve("large" + i, "text/plain", largeText(1));
        publish(large.get(i));
      }
      await().atMost(PATIENCE).until(() -> hosts.delivered() >= 40);

      List<Duration> with = new ArrayList<>();
      for (int round = 2; round < 4; round++) {
        for (int i = 0; i < topics.size(); i++) {
          with.add(retry(topics.get(i), "well" + i, round));
        }
      }

      // A retry comes 1 to 5 s after the failure: chance is as large as that.
      assertThat(longest(with)).isLessThan(longest(without).plus(Duration.ofSeconds(6)));
      assertThat(gateway.isAlive()).isTrue();
    }
  }

  private static String largeText(int first) {
    return first + "x".repeat(15 << 20);
  }
}
