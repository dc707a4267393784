package io.feedbridge.gateway.web.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.SetClock;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The right to a stream is asked while it runs, over the real server. */
class StreamRightsTest {

  private static final String ADMIN = "the-admin-token";
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final Duration LONGER_THAN_A_SESSION = Duration.ofHours(13);

  /** Longer than a heartbeat, on a slow machine too. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Http http = new Http();
  private final SetClock clock = new SetClock();
  private World world;
  private String ann;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.around(TestGateway.guarded(clock, data, new Secret(ADMIN)));
    ann =
        "ann:"
            + world.gateway().addToken("ann", Right.SUBSCRIBE, Right.UNSUBSCRIBE, Right.RETRIEVE);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private static String basic(String credentials) {
    return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
  }

  private HttpResponse<String> hub(String... form) {
    return http.post(
            world.gateway().url("/hub"),
            FORM,
            Http.encode(form).getBytes(UTF_8),
            "Authorization",
            basic(ann))
        .join();
  }

  private String subscribed(String path) {
    String topic = world.origin().rss(path, "", "old");
    change("subscribe", topic, path);
    return topic;
  }

  private void change(String mode, String topic, String path) {
    HttpResponse<String> answer =
        hub("hub.mode", mode, "hub.topic", topic, "hub.callback", world.subscriber().url(path));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  private void news(String path, String... entries) {
    world.publish(world.origin().rss(path, "", entries));
  }

  private String retrieve(String topic, String... more) {
    List<String> query =
        new ArrayList<>(List.of("hub.mode", "retrieve", "hub.topic", topic, "format", "json"));
    query.addAll(List.of(more));
    return world.gateway().url("/hub?" + Http.encode(query.toArray(String[]::new)));
  }

  private StreamClient open(String topic) {
    StreamClient reader =
        StreamClient.get(
            retrieve(topic, "wait", "stream"),
            "Authorization",
            basic(ann),
            "Accept",
            "text/event-stream");
    assertThat(reader.response().statusCode()).isEqualTo(200);
    return reader;
  }

  private String signIn() {
    HttpResponse<String> answer = world.gateway().form("/sign-in", "token", ADMIN, "next", "/live");
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    return cookie.substring(0, cookie.indexOf(';'));
  }

  private StreamClient liveLog(String cookie) {
    StreamClient reader = StreamClient.get(world.gateway().url("/live/log"), "Cookie", cookie);
    assertThat(reader.response().statusCode()).isEqualTo(200);
    return reader;
  }

  /** Makes the gateway note an action. */
  private void ping() {
    assertThat(world.gateway().form("/ping", "url", "http://feed.example/").statusCode())
        .isEqualTo(200);
  }

  private void deleteTokens() {
    String tokens = world.gateway().url("/api/v1/tokens");
    String bearer = "Bearer " + ADMIN;
    HttpResponse<String> list = http.get(tokens, "Authorization", bearer);
    try {
      for (JsonNode token : new ObjectMapper().readTree(list.body()).get("items")) {
        String one = tokens + "/" + token.get("id").asText();
        assertThat(http.send("DELETE", one, "Authorization", bearer).statusCode()).isEqualTo(204);
      }
    } catch (JsonProcessingException e) {
      throw new AssertionError(list.body(), e);
    }
  }

  private void makePrivate(String topic) {
    HttpResponse<String> set =
        http.post(
                world.gateway().url("/api/v1/feeds"),
                "application/json",
                "{\"url\":\"%s\",\"userAgent\":\"Reader/1\"}".formatted(topic).getBytes(UTF_8),
                "Authorization",
                "Bearer " + ADMIN)
            .join();
    assertThat(set.statusCode()).as(set.body()).isEqualTo(200);
  }

  /** The reader has so many documents, and then the end in place of the next one. */
  private static void assertEndsAfter(StreamClient reader, int documents) {
    await().atMost(PATIENCE).until(() -> reader.ended() || dataOf(reader) > documents);
    assertThat(dataOf(reader)).isEqualTo(documents);
    assertThat(reader.ended()).isTrue();
  }

  private static int dataOf(StreamClient reader) {
    return reader.fields("data").size();
  }

  @Test
  void the_live_log_gives_out_nothing_after_the_sign_out() {
    String cookie = signIn();
    try (StreamClient reader = liveLog(cookie)) {
      ping();
      World.until(() -> dataOf(reader) == 1);

      world.gateway().post("/sign-out", FORM, new byte[0], "Cookie", cookie);
      ping();

      assertEndsAfter(reader, 1);
    }
  }

  @Test
  void the_live_log_gives_out_nothing_after_the_end_of_the_session() {
    try (StreamClient reader = liveLog(signIn())) {
      ping();
      World.until(() -> dataOf(reader) == 1);

      clock.set(LONGER_THAN_A_SESSION);
      ping();

      assertEndsAfter(reader, 1);
    }
  }

  @Test
  void a_public_stream_has_private_feeds_for_operators_alone(@TempDir Path other) {
    world.close();
    world = World.around(TestGateway.streaming(clock, other, new Secret(ADMIN)));
    String hidden = world.origin().rss("hidden", "", "old");
    String open = world.origin().rss("open", "", "old");
    world.subscribe(hidden, "hidden");
    world.subscribe(open, "open");
    String url = world.gateway().url("/stream");
    try (StreamClient operator = StreamClient.get(url, "Authorization", "Bearer " + ADMIN);
        StreamClient stranger = StreamClient.get(url)) {
      makePrivate(hidden);
      news("hidden", "a", "old");
      World.until(() -> dataOf(operator) == 1);
      news("open", "b", "old");
      World.until(() -> dataOf(operator) == 2 && dataOf(stranger) == 1);

      assertThat(stranger.fields("data").get(0)).contains("Title of b");
    }
  }

  @Test
  void a_stream_gives_out_nothing_after_its_token_was_deleted() {
    String topic = subscribed("deleted");
    try (StreamClient reader = open(topic)) {
      news("deleted", "a", "old");
      World.until(() -> dataOf(reader) == 1);

      deleteTokens();
      news("deleted", "b", "a", "old");

      assertEndsAfter(reader, 1);
    }
  }

  @Test
  void a_stream_gives_out_nothing_of_a_feed_that_its_login_has_left() {
    String topic = subscribed("left");
    world.subscribe(topic, "somebody-else");
    String other = subscribed("kept");
    try (StreamClient reader = open(topic);
        StreamClient second = open(other)) {
      news("left", "a", "old");
      World.until(() -> dataOf(reader) == 1);

      change("unsubscribe", topic, "left");
      news("left", "b", "a", "old");
      assertEndsAfter(reader, 1);

      news("kept", "c", "old");
      World.until(() -> dataOf(second) == 1);
    }
  }

  @Test
  void a_stream_of_a_login_gives_out_nothing_of_a_feed_that_became_private() {
    String topic = subscribed("closed");
    try (StreamClient reader = open(topic)) {
      news("closed", "a", "old");
      World.until(() -> dataOf(reader) == 1);

      makePrivate(topic);
      news("closed", "b", "a", "old");

      assertEndsAfter(reader, 1);
    }
  }

  @Test
  void the_streams_of_an_operator_go_on_with_a_feed_that_became_private() {
    String topic = subscribed("still");
    ann = "any:" + ADMIN;
    String url = world.gateway().url("/stream?" + Http.encode("topic", topic));
    try (StreamClient hub = open(topic);
        StreamClient operator = StreamClient.get(url, "Authorization", "Bearer " + ADMIN)) {
      makePrivate(topic);
      news("still", "a", "old");

      World.until(() -> dataOf(hub) == 1 && dataOf(operator) == 1);
    }
  }

  @Test
  void a_public_log_has_nothing_of_a_feed_that_became_private(@TempDir Path other) {
    world.close();
    world = World.around(TestGateway.streaming(clock, other, new Secret(ADMIN)));
    String hidden = world.origin().rss("hidden", "", "old");
    world.subscribe(hidden, "hidden");
    world.gateway().settle();
    String url = world.gateway().url("/log?format=sse");
    try (StreamClient operator = StreamClient.get(url, "Authorization", "Bearer " + ADMIN);
        StreamClient stranger = StreamClient.get(url)) {
      news("hidden", "a", "old");
      World.until(() -> names(stranger, hidden) && names(operator, hidden));
      makePrivate(hidden);
      world.gateway().settle();
      int before = dataOf(stranger);
      int shown = dataOf(operator);
      news("hidden", "b", "a", "old");
      World.until(() -> dataOf(operator) > shown);
      ping();
      World.until(() -> dataOf(stranger) > before);

      assertThat(stranger.fields("data").subList(before, dataOf(stranger)))
          .noneMatch(one -> one.contains(hidden));
    }
  }

  @Test
  void a_page_of_another_site_gets_no_private_feed_by_the_credentials_of_a_browser(
      @TempDir Path other) {
    world.close();
    world = World.around(TestGateway.streaming(clock, other, new Secret(ADMIN)));
    String hidden = world.origin().rss("hidden", "", "old");
    world.subscribe(hidden, "hidden");
    world.gateway().settle();
    makePrivate(hidden);
    String url = world.gateway().url("/firehose?topic=" + hidden).replaceFirst("^http", "ws");
    WebSocket.Builder browser =
        HttpClient.newHttpClient().newWebSocketBuilder().header("Authorization", "Bearer " + ADMIN);
    browser.buildAsync(URI.create(url), new WebSocket.Listener() {}).join().abort();

    assertThatThrownBy(
            () ->
                browser
                    .header("Origin", "https://evil.example")
                    .buildAsync(URI.create(url), new WebSocket.Listener() {})
                    .join())
        .hasCauseInstanceOf(WebSocketHandshakeException.class);
  }

  private static boolean names(StreamClient reader, String feed) {
    return reader.fields("data").stream().anyMatch(one -> one.contains(feed));
  }

  @Test
  void streams_without_news_end_at_the_next_heartbeat() {
    String cookie = signIn();
    String topic = subscribed("silent");
    try (StreamClient log = liveLog(cookie);
        StreamClient stream = open(topic);
        StreamClient operator =
            StreamClient.get(world.gateway().url("/stream"), "Authorization", "Bearer " + ADMIN)) {
      world.gateway().post("/sign-out", FORM, new byte[0], "Cookie", cookie);
      deleteTokens();

      assertEndsAfter(log, 0);
      assertEndsAfter(stream, 0);
      assertThat(operator.ended()).isFalse();
    }
  }

  /** As many as can wait, and one: as soon as one is refused, all others wait. */
  private List<CompletableFuture<HttpResponse<String>>> polls(String topic) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest poll =
        HttpRequest.newBuilder(URI.create(retrieve(topic, "wait", "poll")))
            .header("Authorization", basic(ann))
            .build();
    List<CompletableFuture<HttpResponse<String>>> polls = new ArrayList<>();
    for (int i = 0; i <= EventStream.MAX_WAITING_OF_ONE; i++) {
      polls.add(client.sendAsync(poll, HttpResponse.BodyHandlers.ofString()));
    }
    World.until(() -> polls.stream().anyMatch(CompletableFuture::isDone));
    assertThat(polls.stream().filter(CompletableFuture::isDone).map(one -> one.join().statusCode()))
        .containsExactly(503);
    return polls;
  }

  private static void assertRefused(
      List<CompletableFuture<HttpResponse<String>>> polls, int status) {
    assertThat(polls.stream().map(one -> one.join().statusCode()))
        .containsOnly(status, 503)
        .containsOnlyOnce(503);
    assertThat(polls.stream().map(one -> one.join().body()))
        .noneMatch(body -> body.contains("Title of"));
  }

  @Test
  void a_poll_is_answered_as_a_stranger_after_its_token_was_deleted() {
    String topic = subscribed("polled");
    List<CompletableFuture<HttpResponse<String>>> polls = polls(topic);

    deleteTokens();
    news("polled", "a", "old");

    assertRefused(polls, 401);
  }

  @Test
  void no_stream_or_poll_of_a_login_outlives_the_beginning_of_a_feeds_privacy() {
    String topic = subscribed("closing");
    List<CompletableFuture<HttpResponse<String>>> polls = polls(topic);
    try (StreamClient reader = open(topic)) {
      // The subscription of the login ends later, which would end them too.
      world.gateway().store().privateFeeds().hide(topic).join();
      news("closing", "a", "old");

      assertEndsAfter(reader, 0);
      assertRefused(polls, 404);
    }
  }

  @Test
  void readers_of_one_caller_take_a_share_of_the_places() throws IOException {
    String url = world.gateway().url("/log?format=sse");
    List<StreamClient> readers = new ArrayList<>();
    try {
      for (int i = 0; i < ActivityStream.MAX_READERS_OF_ONE; i++) {
        StreamClient reader = StreamClient.get(url, "Authorization", "Bearer " + ADMIN);
        assertThat(reader.response().statusCode()).isEqualTo(200);
        readers.add(reader);
        World.until(() -> !reader.lines().isEmpty());
      }
      assertThat(statusFrom("127.0.0.1")).isEqualTo("HTTP/1.1 503 Service Unavailable");
      assertThat(statusFrom("127.0.0.2")).isEqualTo("HTTP/1.1 200 OK");
    } finally {
      readers.forEach(StreamClient::close);
    }
  }

  /** The first line of the log's answer to a reader at another address. */
  private String statusFrom(String address) throws IOException {
    int port = world.gateway().address().getPort();
    try (Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(address), 0);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      String request =
          "GET /log?format=sse HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n";
      socket.getOutputStream().write(request.formatted(port, ADMIN).getBytes(UTF_8));
      return in.readLine();
    }
  }
}
