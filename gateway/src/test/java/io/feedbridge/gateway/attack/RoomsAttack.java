package io.feedbridge.gateway.attack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.StreamClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Inputs that trackers, search, the live log, retrieve, explain and the doctor must bear: ids of
 * entries that are long or used twice, feeds that are not public, U+0000, an index with damage, a
 * session that has ended, windows of other sites, answers without an end.
 */
@Timeout(400)
class RoomsAttack {

  private static final String[] BY_STRANGER = {"X-Forwarded-For", "192.0.2.1"};
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final Http http = new Http();
  @TempDir Path data;

  // Each test starts it.
  @SuppressWarnings("NullAway.Init")
  private GatewayProcess gateway;

  @AfterEach
  void stop() {
    gateway.close();
    subscriber.close();
    origin.close();
  }

  private void start(String... more) {
    gateway =
        GatewayProcess.start(
            data,
            FreePort.next(),
            Stream.concat(
                    Stream.of("--trust-proxy=127.0.0.0/8", "--poll-min=12h", "--poll-max=24h"),
                    Stream.of(more))
                .toArray(String[]::new));
  }

  private static String item(String id, String title) {
    return "<item><guid isPermaLink=\"false\">%s</guid><title>%s</title></item>"
        .formatted(id, title);
  }

  /** Characters that no store packs into fewer. */
  private static String longId(int length) {
    return new Random(7)
        .ints(length, 'a', 'z' + 1)
        .mapToObj(letter -> String.valueOf((char) letter))
        .collect(Collectors.joining());
  }

  /** Subscribes the operator's reader to a new feed, whose URL ends in these characters. */
  private String follow(String path, String end) {
    String topic = origin.rss(path, item("old", "old")) + end;
    Bystander.subscribe(gateway, topic, subscriber.url(path));
    return topic;
  }

  /** Subscribes a reader to a tracker, and waits until the subscription is active. */
  private void track(String query, String path, String... headers) {
    String callback = subscriber.url(path);
    String topic = gateway.url("/track?" + Http.encode("query", query));
    assertThat(hub(headers, topic, callback).statusCode()).isEqualTo(202);
    await().atMost(PATIENCE).until(() -> Bystander.isActive(gateway, callback));
  }

  private HttpResponse<String> hub(
      String[] headers, String topic, String callback, String... more) {
    String[] form =
        Stream.concat(
                Stream.of("hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback),
                Stream.of(more))
            .toArray(String[]::new);
    return http.post(gateway.url("/hub"), FORM, Http.encode(form).getBytes(UTF_8), headers).join();
  }

  private void publish(String path, String topic, String... items) {
    origin.rss(path, String.join("", items));
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
  }

  private void awaitSent(String path, String part) {
    await()
        .atMost(PATIENCE)
        .until(() -> subscriber.bodies(path).stream().anyMatch(body -> body.contains(part)));
  }

  private String sent(String path) {
    return String.join("\n", subscriber.bodies(path));
  }

  // Trackers.

  @Test
  void entries_of_two_feeds_with_one_id_reach_a_tracker() {
    start();
    String one = follow("one", "");
    String two = follow("two", "");
    track("mars", "tracker");

    publish("one", one, item("1", "mars of one"));
    awaitSent("tracker", "mars of one");
    publish("two", two, item("1", "mars of two"));
    awaitSent("two", "mars of two");
    publish("two", two, item("2", "mars at last"), item("1", "mars of two"));
    awaitSent("tracker", "mars at last");

    assertThat(sent("tracker")).contains("mars of two");
  }

  @Test
  void a_tracker_of_a_stranger_gets_nothing_of_a_feed_whose_url_has_a_secret() {
    start();
    String secret = follow("letters", "?token=of-the-operator");
    String open = follow("news", "");
    track("mars", "tracker", BY_STRANGER);

    publish("letters", secret, item("1", "mars in secret"));
    awaitSent("letters", "mars in secret");
    publish("news", open, item("2", "mars in public"));
    awaitSent("tracker", "mars in public");

    assertThat(sent("tracker")).doesNotContain("mars in secret", "of-the-operator");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void an_id_of_4_KB_does_not_stop_trackers(boolean postgres) {
    onEngine(
        postgres,
        () -> {
          String feed = follow("feed", "");
          track("mars", "tracker");

          String first = item(longId(4_096), "mars with a long id");
          publish("feed", feed, first);
          awaitSent("feed", "mars with a long id");
          publish("feed", feed, item("2", "mars with a short id"), first);

          awaitSent("tracker", "mars with a short id");
          assertThat(sent("tracker")).contains("mars with a long id");
        });
  }

  private void onEngine(boolean postgres, Runnable test) {
    if (!postgres) {
      start();
      test.run();
      return;
    }
    try (TestServer server = TestServer.durable()) {
      start("--store=" + server.empty());
      test.run();
      gateway.close();
    }
  }

  // Parameters.

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void U_0000_in_a_parameter_is_not_answered_as_a_fault_of_the_store(boolean postgres) {
    onEngine(
        postgres,
        () -> {
          String topic = origin.rss("feed", "", "one");
          String callback = subscriber.url("reader");
          assertThat(
                  List.of(
                      subscribe(topic + "?\0", callback),
                      subscribe(topic, callback + "\0"),
                      subscribe(topic, callback, "hub.secret", "\0"),
                      subscribe(topic, callback, "hub.verify_token", "\0"),
                      gateway.get("/hub?hub.mode=retrieve&hub.topic=%00"),
                      gateway.get("/feed.atom?url=%00"),
                      gateway.get("/ping?url=%00"),
                      gateway.get("/api/v1/search?q=%00"),
                      gateway.get("/api/v1/feeds?topic=%00"),
                      gateway.get("/api/v1/feeds?q=%00"),
                      gateway.get("/api/v1/subscriptions?callback=%00"),
                      gateway.get("/api/v1/subscriptions?topic=%00"),
                      gateway.get("/feeds?q=%00"),
                      gateway.get("/subscriptions?q=%00"),
                      gateway.get("/api/v1/subscriptions?after=%00")))
              .allSatisfy(
                  answer ->
                      assertThat(answer.statusCode())
                          .as(answer.uri() + " " + answer.body())
                          .isNotIn(500, 503));
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_topic_and_a_callback_of_2_000_characters_are_subscribed(boolean postgres) {
    onEngine(
        postgres,
        () -> {
          String path = longId(1_950);
          String topic = origin.rss(path, "", "one");

          HttpResponse<String> answer = subscribe(topic, subscriber.url(path));

          assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        });
  }

  private HttpResponse<String> subscribe(String topic, String callback, String... more) {
    return hub(BY_STRANGER, topic, callback, more);
  }

  // The live log.

  @Test
  void the_live_log_ends_with_the_session() {
    start("--admin-token=" + TOKEN);
    String cookie =
        gateway
            .form("/sign-in", "token", TOKEN, "next", "/live")
            .headers()
            .firstValue("Set-Cookie")
            .orElseThrow()
            .split(";", 2)[0];
    try (StreamClient log = StreamClient.get(gateway.url("/live/log"), "Cookie", cookie)) {
      assertThat(log.response().statusCode()).isEqualTo(200);
      ping("before");
      await().atMost(PATIENCE).until(() -> !log.fields("data").isEmpty());

      http.post(gateway.url("/sign-out"), FORM, new byte[0], "Cookie", cookie).join();
      long end = System.nanoTime();
      ping("after");
      await().atMost(PATIENCE).until(() -> log.ended() || shows(log, "after"));

      assertThat(shows(log, "after")).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - end)).isLessThan(Duration.ofSeconds(20));
    }
  }

  /** Makes the gateway note an action. */
  private void ping(String path) {
    String url = "http://feed.example/" + path;
    assertThat(gateway.form("/ping", "url", url).statusCode()).isEqualTo(200);
  }

  private static boolean shows(StreamClient log, String path) {
    return log.fields("data").stream().anyMatch(row -> row.contains("feed.example/" + path));
  }

  // Search.

  @Test
  void a_damaged_search_index_is_made_again() throws IOException {
    start();
    String feed = follow("feed", "");
    publish(
        "feed",
        feed,
        IntStream.range(0, 200)
            .mapToObj(i -> item("id-" + i, "mars " + longId(80) + " " + i))
            .toArray(String[]::new));
    awaitFound("mars");
    gateway.terminate();

    try (FileChannel index =
        FileChannel.open(data.resolve("feedbridge-search.db"), StandardOpenOption.WRITE)) {
      int third = (int) index.size() / 3;
      byte[] bytes = new byte[third];
      new Random(7).nextBytes(bytes);
      index.write(ByteBuffer.wrap(bytes), third);
    }
    start();

    awaitFound("mars");
  }

  private void awaitFound(String words) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                gateway
                    .get("/api/v1/search?" + Http.encode("q", words))
                    .body()
                    .contains("\"id\":\"id-"));
  }

  // The doctor.

  @Test
  void the_doctor_ends_when_an_answer_has_no_end() {
    start();
    try (RawHost endless =
        RawHost.running(
            talk -> {
              if (talk.readHead() != null) {
                talk.send("HTTP/1.1 200 OK\r\n\r\n{");
                talk.hang();
              }
            })) {
      String url = endless.url("/").replaceFirst("/$", "");

      GatewayProcess.Exit exit =
          GatewayProcess.command("doctor", "--gateway", gateway.url(""), "--public-url", url);

      assertThat(exit.errors()).contains("FAIL public URL");
      assertThat(exit.took()).isLessThan(Duration.ofSeconds(15));
    }
  }

  // Retrieve.

  @Test
  void the_id_of_an_entry_is_a_place_in_a_retrieve_however_long() {
    start();
    String feed = follow("feed", "");
    String id = longId(600);
    publish("feed", feed, item(id, "mars"));
    awaitSent("feed", "mars");
    // The entry is none of the newest any more.
    publish(
        "feed",
        feed,
        IntStream.range(0, Newest.KEPT)
            .mapToObj(i -> item("id-" + i, "venus " + i))
            .toArray(String[]::new));
    awaitSent("feed", "venus");

    HttpResponse<String> answer =
        gateway.get(
            "/hub?"
                + Http.encode(
                    "hub.mode", "retrieve", "hub.topic", feed, "before", id, "format", "json"));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  // Windows that another site opens in the operator's browser.

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/explain", "/feeds/new"})
  void a_window_of_another_site_causes_no_request_to_an_origin(String path) {
    start();
    String feed = origin.rss("looked-at", "", "one");

    http.send(
        "GET",
        gateway.url(path + "?" + Http.encode("url", feed)),
        "Sec-Fetch-Site",
        "cross-site",
        "Sec-Fetch-Mode",
        "navigate",
        "Sec-Fetch-Dest",
        "document");

    assertThat(origin.requests("looked-at")).isEmpty();
  }
}
