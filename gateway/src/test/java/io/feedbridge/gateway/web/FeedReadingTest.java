package io.feedbridge.gateway.web;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.World;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How feeds are read, over the whole gateway and an origin that records what it is asked. Rows that
 * need a clock to be turned are in {@code ingest.FeedStateTest} and {@code FeedStatesTest}, those
 * that are pure in {@code ingest.CadenceTest}.
 */
class FeedReadingTest {

  private static final int MAX_BODY = 16 << 20;

  /** An RSS document whose newest item has the id 19, in Brotli. */
  private static final String FEED_IN_BROTLI =
      "G3gEIJwHtu1kK2XPtNTl/kqD1LlSdkyPo0n6QtWlHO8w1MlysWuJ8BsTnno5A2GboVr7WOyCCCJoCRajyeTL4e3oNrbE"
          + "FZ1AW9GouezHz8bPLtuiIX389lohy0aoOb4SW8zadN5Y9s4ZKrx9CAOkIcoI3TiGCUyTWKawTeOY+cdU"
          + "3AEfcAUnU5GlxK6cQwWnSi5V3Kp5cLrNEovBBg==";

  /** 17 MiB of spaces, in Brotli. */
  private static final String BOMB_IN_BROTLI = "z///fwAkQOKxQHLv/+v//wFIAMRhAejePwA=";

  @TempDir static Path folder;
  private static World world;
  private static FakeOrigin origin;
  private static int names;

  @BeforeAll
  static void start() {
    world = World.on(folder.resolve("data"));
    origin = new FakeOrigin();
  }

  @AfterAll
  static void stop() {
    world.close();
    origin.close();
  }

  /** Serves the body with headers, names and values by turns, and says nothing else of it. */
  private static String serve(String path, byte[] body, String... headers) {
    return origin.answer(
        path, with(headers).withHeader("Content-Type", "application/rss+xml").withBody(body));
  }

  private static String serve(String path, String body, String... headers) {
    return serve(path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  private static String answer(String path, int status, String... headers) {
    return origin.answer(path, with(headers).withStatus(status));
  }

  private static ResponseDefinitionBuilder with(String... headers) {
    ResponseDefinitionBuilder answer = aResponse();
    for (int i = 0; i < headers.length; i += 2) {
      answer.withHeader(headers[i], headers[i + 1]);
    }
    return answer;
  }

  private static Request last(String path) {
    List<Request> all = origin.requests(path);
    return all.get(all.size() - 1);
  }

  /** A path of its own for each test. */
  private static String path() {
    return "feed-" + names++;
  }

  private static String rss(String... items) {
    return FakeOrigin.rssOf("", items);
  }

  /** Subscribes to what is served, and waits for its baseline. */
  private static String follow(String path) {
    String topic = origin.url(path);
    world.subscribe(topic, path);
    World.until(() -> feed(topic).hasBaseline());
    return topic;
  }

  private static FollowedFeed feed(String topic) {
    return world.gateway().store().feeds().byTopic(topic).orElseThrow();
  }

  private static String delivered(String path) {
    return new String(world.delivery(path).body(), UTF_8);
  }

  @Nested
  class The_source_document {

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br"})
    void readers_SHOULD_ask_for_compression_and_undo_it(String coding) throws IOException {
      String path = path();
      serve(path, rss());
      String topic = follow(path);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      if (coding.equals("br")) {
        bytes.write(Base64.getDecoder().decode(FEED_IN_BROTLI));
      } else {
        try (OutputStream out =
            coding.equals("gzip") ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
          out.write(rss("Entry 19").getBytes(UTF_8));
        }
      }
      serve(path, bytes.toByteArray(), "Content-Encoding", coding);

      world.publish(topic);

      assertThat(last(path).header("Accept-Encoding")).hasValue("gzip, deflate, br");
      assertThat(delivered(path)).contains("Entry 19");
    }

    @Test
    void readers_should_make_HTTP_1_1_requests() {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.read();
                talk.send(RawHost.last("application/rss+xml", rss("one")));
              })) {
        world.gateway().subscribe(host.url("/feed.xml"), world.subscriber().url("one"));
        World.until(() -> !host.requests().isEmpty());

        assertThat(host.requests().get(0).line()).isEqualTo("GET /feed.xml HTTP/1.1");
      }
    }

    @ParameterizedTest
    @CsvSource({
      "ETag, If-None-Match, W/\"v1 --gzip\"",
      "Last-Modified, If-Modified-Since, 'Sunday,  around noon'"
    })
    void readers_MUST_send_back_entity_tags_and_last_modified_as_they_came(
        String given, String back, String value) {
      String path = path();
      serve(path, rss("one"), given, value);
      String topic = follow(path);
      assertThat(last(path).header(back)).isEmpty();
      answer(path, 304);

      world.publish(topic);

      assertThat(last(path).header(back)).hasValue(value);
      assertThat(feed(topic).status().code()).isEqualTo(304);
      assertThat(feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(world.gateway().store().feeds().events(feed(topic).id(), 0, Long.MAX_VALUE))
          .isEmpty();
    }

    @Test
    void readers_that_poll_for_many_SHOULD_count_whoever_stands_for_others_as_all_of_them() {
      String path = path();
      serve(path, rss("one"));
      String topic = follow(path);
      world
          .subscriber()
          .answer(
              path,
              request ->
                  CompletableFuture.completedFuture(
                      Response.noContent().withHeader("X-Hub-On-Behalf-Of", "40")));
      serve(path, rss("two", "one"));
      world.publish(topic);
      assertThat(last(path).header("User-Agent")).get().asString().contains("1 subscriber)");
      assertThat(delivered(path)).contains("two");
      World.until(() -> world.gateway().store().subscriptions().readers(feed(topic).id()) == 40);

      world.publish(topic);

      assertThat(last(path).header("User-Agent"))
          .get()
          .asString()
          .matches("Feedbridge/\\S+ \\(\\+http://127.0.0.1:\\d+; 40 subscribers\\)");
      assertThat(last(path).header("From")).isEmpty();
    }

    @Test
    void readers_CAN_be_pinged_by_HTTP_GET() {
      String path = path();
      serve(path, rss("one"));
      String topic = follow(path);
      serve(path, rss("two", "one"));

      HttpResponse<String> taken =
          world.gateway().get("/pingSiteForm?" + Http.encode("name", "The Blog", "url", topic));
      HttpResponse<String> failed = world.gateway().get("/pingSiteForm?name=The+Blog");

      assertThat(delivered(path)).contains("two");
      assertThat(taken.statusCode()).isEqualTo(200);
      assertThat(failed.statusCode()).isEqualTo(400);
      for (HttpResponse<String> answer : List.of(taken, failed)) {
        assertThat(answer.headers().firstValue("Content-Type")).get().asString().contains("html");
        assertThat(answer.body()).contains("<h1>");
      }
    }

    @Test
    void aggregators_CAN_be_pinged_by_XML_RPC_and_tell_others_of_it() {
      String path = path();
      serve(path, rss("one"));
      String topic = follow(path);
      serve(path, rss("two", "one"));
      String call =
          """
          <?xml version="1.0"?>
          <methodCall><methodName>weblogUpdates.extendedPing</methodName><params>
          <param><value>The Blog</value></param>
          <param><value>http://blog.example/</value></param>
          <param><value>http://blog.example/new</value></param>
          <param><value>%s</value></param>
          <param><value>rss|opml</value></param>
          </params></methodCall>
          """
              .formatted(topic);

      HttpResponse<String> answer = world.gateway().post("/RPC2", "text/xml", call.getBytes(UTF_8));

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).containsPattern("flerror</name>\\s*<value>\\s*<boolean>0<");
      assertThat(delivered(path)).contains("two");
      assertThat(world.gateway().get("/shortChanges.xml").body())
          .contains("<weblog name=\"The Blog\" url=\"http://blog.example/\"");
    }
  }

  @Nested
  class Beside_it {

    @Test
    void the_charset_of_HTTP_goes_before_the_documents_own() {
      String path = path();
      serve(path, rss());
      String topic = follow(path);
      String text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>" + rss("Gr\u00fc\u00dfe");
      serve(path, text.getBytes(ISO_8859_1), "Content-Type", "application/rss+xml;charset=latin1");

      world.publish(topic);

      assertThat(delivered(path)).contains("Gr\u00fc\u00dfe");
    }

    @Test
    void porn_rank_is_left_out_of_the_status() {
      String path = path();
      serve(path, rss("one"));
      String topic = follow(path);
      serve(path, rss("two", "one"));

      world.publish(topic);

      assertThat(delivered(path)).contains("bozo_rank", "popularity").doesNotContain("porn_rank");
    }
  }

  /** After each the feed is well again, and its subscriber got nothing of it but the next entry. */
  @Nested
  class Bad_input_does_no_harm_and_has_a_clear_status {

    private final String path = path();
    private String topic = "";

    private void follow() {
      serve(path, rss("one"));
      topic = FeedReadingTest.follow(path);
    }

    /** What the status says after the feed was fetched once more. */
    private String status() {
      world.publish(topic);
      World.until(() -> feed(topic).fetched().failures() == 1);
      String status = String.valueOf(feed(topic).status().http());
      assertThat(feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(world.subscriber().received(path)).isEmpty();

      serve(path, rss("after", "one"));
      world.publish(topic);
      assertThat(delivered(path)).contains("after");
      return status;
    }

    @Test
    void a_feed_of_16_MB_is_read_and_a_longer_one_is_not() {
      follow();
      String filler = "<copyright>%s</copyright>";
      int room = MAX_BODY - FakeOrigin.rssOf(filler.repeat(3), "long", "one").length();
      serve(
          path, FakeOrigin.rssOf(filler.formatted("c".repeat(room / 3)).repeat(3), "long", "one"));
      world.publish(topic);
      assertThat(delivered(path)).contains("long");

      serve(path, new byte[MAX_BODY + 1]);
      world.publish(topic);

      World.until(() -> feed(topic).fetched().failures() == 1);
      assertThat(feed(topic).status().http()).contains("longer than " + MAX_BODY + " bytes");
    }

    @Test
    void a_gzip_bomb() throws IOException {
      follow();
      ByteArrayOutputStream bomb = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
        for (int i = 0; i < 17; i++) {
          gzip.write(new byte[1 << 20]);
        }
      }
      serve(path, bomb.toByteArray(), "Content-Encoding", "gzip");

      assertThat(status()).contains("longer");
    }

    @Test
    void a_Brotli_bomb() {
      follow();
      serve(path, Base64.getDecoder().decode(BOMB_IN_BROTLI), "Content-Encoding", "br");

      assertThat(status()).contains("longer");
    }

    @Test
    void an_endless_body() {
      follow();
      byte[] piece = new byte[1 << 16];
      try (RawHost endless =
          RawHost.running(
              talk -> {
                talk.read();
                talk.send("HTTP/1.1 200 OK\r\n\r\n");
                while (true) {
                  talk.send(piece);
                }
              })) {
        answer(path, 302, "Location", endless.url("/"));

        assertThat(status()).contains("longer");
      }
    }

    @Test
    void a_redirect_loop() {
      follow();
      answer(path, 302, "Location", "/" + path);
      int before = origin.requests(path).size();
      world.publish(topic);
      World.until(() -> feed(topic).fetched().failures() == 1);
      assertThat(origin.requests(path).size() - before).isEqualTo(6);
      assertThat(feed(topic).status().http()).contains("after 5 redirects");
    }

    @Test
    void a_redirect_to_a_private_address() {
      follow();
      answer(path, 302, "Location", "http://10.0.0.1/feed.xml");

      assertThat(status()).contains("10.0.0.1").contains("not");
    }

    /** Nobody vouches for this one; of one that is trusted {@code client.TlsTest} knows. */
    @Test
    void a_certificate_for_another_host() throws Exception {
      follow();
      Certificate other = Certificate.of(folder, "dns:another.example");
      String feed = RawHost.last("application/rss+xml", rss("wrong", "one"));
      try (RawHost secure = RawHost.secure(other.server(), RawHost.always(feed))) {
        answer(path, 302, "Location", secure.url("/feed.xml"));

        assertThat(status()).contains("not for this host");
        assertThat(secure.requests()).isEmpty();
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "0", "99999999"})
    void a_ttl(String ttl) {
      serve(path, FakeOrigin.rssOf("<ttl>" + ttl + "</ttl>", "one"));
      topic = FeedReadingTest.follow(path);

      assertNextFetchIsWithinBounds();
    }

    private void assertNextFetchIsWithinBounds() {
      Instant next = Objects.requireNonNull(feed(topic).nextFetchAt());
      // This gateway polls every minute to every other one; times are spread by a tenth.
      assertThat(Duration.between(Instant.now(), next))
          .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(133));
      assertThat(feed(topic).state()).isEqualTo(FeedState.ACTIVE);
    }

    @Test
    void twenty_four_skipHours() {
      String all =
          IntStream.rangeClosed(0, 23)
              .mapToObj(hour -> "<hour>" + hour + "</hour>")
              .collect(Collectors.joining("", "<skipHours>", "</skipHours>"));
      serve(path, FakeOrigin.rssOf(all, "one"));
      topic = FeedReadingTest.follow(path);

      assertNextFetchIsWithinBounds();
    }

    @Test
    void an_ETag_of_8_KB() {
      serve(path, rss("one"), "ETag", "\"" + "x".repeat(8 << 10) + "\"");
      topic = FeedReadingTest.follow(path);
      serve(path, rss("two", "one"));

      world.publish(topic);

      assertThat(last(path).header("If-None-Match")).isEmpty();
      assertThat(delivered(path)).contains("two");
    }
  }
}
