package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An edit of a known entry goes to the subscribers that want edits, and to no other. */
class EditsTest {

  private static final String ENTRY =
      "<item><guid isPermaLink='false'>a</guid><title>Title</title><link>http://n.example/a</link>"
          + "<description>All of the text</description><category>mars</category>"
          + "<enclosure url='http://n.example/a.mp3' length='1' type='audio/mpeg'/>"
          + "<pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate></item>";

  private static final List<String> WANT_EDITS = List.of("updates");
  private static final List<String> WANT_BYTES = List.of("rsscloud", "raw");
  private static final List<String> WANT_NEWS = List.of("json", "atom", "webhook");

  @TempDir Path data;

  @SuppressWarnings("NullAway.Init") // each test calls start
  private World world;

  private final List<StreamClient> streams = new ArrayList<>();

  /** A change of one part of an entry. */
  enum Edit {
    TITLE(">Title<", ">Another title<"),
    TEXT("All of the text", "Some of the text"),
    LINK("<link>http://n.example/a<", "<link>http://n.example/b<"),
    ENCLOSURE("a.mp3", "b.mp3"),
    CATEGORY(">mars<", ">venus<"),
    DATE("03 Jun 2003 09", "03 Jun 2003 10");

    private final String before;
    private final String after;

    Edit(String before, String after) {
      this.before = before;
      this.after = after;
    }
  }

  static Stream<Arguments> edits() {
    return Stream.of(Edit.values())
        .flatMap(edit -> Stream.of(Arguments.of(edit, true), Arguments.of(edit, false)));
  }

  @AfterEach
  void stop() {
    streams.forEach(StreamClient::close);
    world.close();
  }

  private String serve(String entry) {
    return world
        .origin()
        .serve(
            "feed.xml",
            "application/rss+xml",
            "<rss version='2.0'><channel><title>N</title>" + entry + "</channel></rss>");
  }

  private void webhook(String path, String topic) {
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), path);
    String body = "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(endpoint.url(), topic);
    assertThat(world.gateway().json("POST", "/api/v1/webhooks", body).statusCode()).isEqualTo(201);
    World.until(
        () -> world.gateway().get("/api/v1/webhooks?state=active").body().contains(endpoint.url()));
  }

  private StreamClient stream(String query) {
    StreamClient stream =
        StreamClient.get(world.gateway().url("/stream" + query), "Accept", "text/event-stream");
    streams.add(stream);
    return stream;
  }

  /** The deliveries to each path, without the verification of a webhook. */
  private Map<String, Integer> deliveries() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    Stream.of(WANT_EDITS, WANT_BYTES, WANT_NEWS)
        .flatMap(List::stream)
        .forEach(
            path ->
                counts.put(
                    path,
                    (int)
                        world.subscriber().bodies(path).stream()
                            .filter(body -> !body.contains("endpoint.verification"))
                            .count()));
    counts.put("stream", streams.get(0).fields("data").size());
    counts.put("stream-updates", streams.get(1).fields("data").size());
    return counts;
  }

  private Map<String, Integer> expected(boolean edited, boolean pinged) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    WANT_EDITS.forEach(path -> counts.put(path, edited ? 1 : 0));
    WANT_BYTES.forEach(path -> counts.put(path, edited || pinged ? 1 : 0));
    WANT_NEWS.forEach(path -> counts.put(path, 0));
    counts.put("stream", 0);
    counts.put("stream-updates", edited ? 1 : 0);
    return counts;
  }

  @ParameterizedTest
  @MethodSource("edits")
  void an_edit_goes_to_the_subscribers_that_want_edits(Edit edit, boolean pinged) {
    Duration period = pinged ? Duration.ofMinutes(1) : Duration.ofSeconds(1);
    world =
        World.around(TestGateway.with(data, TestGateway.LOOPBACK, TestGateway.LOOPBACK, period));
    String topic = serve(ENTRY);
    world.subscribe(topic, "json", "format", "json");
    world.subscribe(topic, "atom", "format", "atom");
    world.subscribe(topic, "raw", "format", "raw");
    world.subscribe(topic, "updates", "format", "json", "updates", "true");
    world.register(topic, "rsscloud");
    webhook("webhook", topic);
    stream("");
    stream("?updates=true");

    serve(ENTRY.replace(edit.before, edit.after));
    if (pinged) {
      world.publish(topic);
    } else {
      int requests = world.origin().requests("feed.xml").size();
      World.until(() -> world.origin().requests("feed.xml").size() >= requests + 2);
      world.gateway().settle();
    }

    Map<String, Integer> expected = expected(edit != Edit.DATE, pinged);
    World.until(
        () ->
            deliveries().entrySet().stream()
                .allMatch(one -> one.getValue() >= expected.getOrDefault(one.getKey(), 0)));
    assertThat(deliveries()).isEqualTo(expected);
    String bridged = world.gateway().get("/feed.rss?" + Http.encode("url", topic)).body();
    assertThat(bridged).as("a reader finds the edit").contains(edited(edit));
  }

  private static String edited(Edit edit) {
    return edit == Edit.DATE ? "Title" : edit.after.replaceAll("<[^>]*>|[<>]", "");
  }
}
