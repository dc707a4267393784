package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An entry that the end of a document cuts reaches every subscriber once, with all of its text, by
 * whichever way the documents come.
 */
class CutFeedsTest {

  private static final List<String> FORMATS = List.of("auto", "atom", "json", "raw");
  private static final List<String> BRIDGED = List.of("/feed.atom", "/feed.rss", "/feed.json");
  private static final String REST = "and the rest of its text";

  @TempDir Path data;

  @SuppressWarnings("NullAway.Init") // each test calls start
  private World world;

  @SuppressWarnings("NullAway.Init") // each test calls start
  private StreamClient stream;

  private String topic = "";

  /** How the gateway learns of a document. */
  enum Way {
    POLL,
    PING,
    PUSH
  }

  /** The format of the feed. */
  enum Family {
    RSS("application/rss+xml"),
    ATOM("application/atom+xml"),
    JSON("application/feed+json");

    private final String type;

    Family(String type) {
      this.type = type;
    }

    /** A feed with a hub and these entries; the last one has a long text. */
    String document(String hub, String... ids) {
      return switch (this) {
        case RSS ->
            entries(
                "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
                    + "<title>N</title><atom:link rel='hub' href='%s'/>".formatted(hub),
                "<item><guid>%1$s</guid><title>%1$s</title><description>%2$s</description></item>",
                "",
                "</channel></rss>",
                ids);
        case ATOM ->
            entries(
                "<feed xmlns='http://www.w3.org/2005/Atom'><id>urn:n</id><title>N</title>"
                    + "<link rel='hub' href='%s'/>".formatted(hub),
                "<entry><id>urn:%1$s</id><title>%1$s</title><content>%2$s</content></entry>",
                "",
                "</feed>",
                ids);
        case JSON ->
            entries(
                "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"N\","
                    + "\"hubs\":[{\"type\":\"WebSub\",\"url\":\"%s\"}],\"items\":[".formatted(hub),
                "{\"id\":\"%1$s\",\"title\":\"%1$s\",\"content_text\":\"%2$s\"}",
                ",",
                "]}",
                ids);
      };
    }

    private static String entries(
        String head, String entry, String between, String end, String... ids) {
      return Stream.of(ids)
          .map(id -> entry.formatted(id, "text of " + id + " " + REST))
          .collect(Collectors.joining(between, head, end));
    }
  }

  static Stream<Arguments> ways() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Family.values()).map(family -> Arguments.of(way, family)));
  }

  @AfterEach
  void stop() {
    stream.close();
    world.close();
  }

  private void start(Way way, Family family) {
    Duration period = way == Way.POLL ? Duration.ofSeconds(1) : Duration.ofMinutes(1);
    world =
        World.around(TestGateway.with(data, TestGateway.LOOPBACK, TestGateway.LOOPBACK, period));
    topic = serve(family, family.document(hub(way), "one"));
    FORMATS.forEach(format -> world.subscribe(topic, format, "format", format));
    for (String bridged : BRIDGED) {
      assertThat(bridged(bridged)).contains("text of one");
      world.subscribe(url(bridged), bridged.substring(1));
    }
    world.register(topic, "rsscloud");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "webhook");
    String webhook = "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(endpoint.url(), topic);
    assertThat(world.gateway().json("POST", "/api/v1/webhooks", webhook).statusCode())
        .isEqualTo(201);
    World.until(
        () -> world.gateway().get("/api/v1/webhooks?state=active").body().contains("/webhook"));
    stream = StreamClient.get(world.gateway().url("/stream"), "Accept", "text/event-stream");
    if (way == Way.PUSH) {
      World.until(() -> world.hub().subscribers(topic) == 1);
    }
  }

  private String hub(Way way) {
    return way == Way.PUSH ? world.hub().url() : "http://127.0.0.1:1/no-hub";
  }

  private String serve(Family family, String document) {
    return world.origin().serve("feed", family.type, document);
  }

  private void tell(Way way, Family family, String document) {
    switch (way) {
      case POLL -> world.gateway().settle();
      case PING -> world.publish(topic);
      case PUSH -> {
        assertThat(world.hub().deliver(topic, family.type, document).statusCode())
            .isBetween(200, 299);
        world.gateway().settle();
      }
    }
  }

  private String url(String bridged) {
    return world.gateway().url(bridged + "?" + Http.encode("url", topic));
  }

  private String bridged(String path) {
    return new Http().get(url(path)).body();
  }

  private List<String> got(String path) {
    return world.subscriber().received(path).stream().map(CutFeedsTest::text).toList();
  }

  private static String text(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }

  private static long count(List<String> documents, String text) {
    return documents.stream().filter(document -> document.contains(text)).count();
  }

  /** The documents of each protocol that carries entries. */
  private Stream<List<String>> carried() {
    Stream<String> paths =
        Stream.of("auto", "atom", "json", "feed.atom", "feed.rss", "feed.json", "webhook");
    return Stream.concat(paths.map(this::got), Stream.of(stream.fields("data")));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void every_subscriber_gets_the_cut_entry_once_and_whole(Way way, Family family) {
    start(way, family);
    String whole = family.document(hub(way), "new", "omega", "one");
    String part = whole.substring(0, whole.indexOf("text of omega") + 12);

    serve(family, part);
    tell(way, family, part);
    World.until(() -> carried().allMatch(documents -> count(documents, "text of new") == 1));
    assertThat(carried()).allSatisfy(documents -> assertThat(count(documents, "omega")).isZero());
    assertThat(BRIDGED).allSatisfy(path -> assertThat(bridged(path)).doesNotContain("omega"));
    World.until(() -> !got("rsscloud").isEmpty());
    int pings = got("rsscloud").size();

    serve(family, whole);
    tell(way, family, whole);
    World.until(
        () -> carried().allMatch(documents -> count(documents, "text of omega " + REST) == 1));
    world.gateway().settle();
    assertThat(carried())
        .allSatisfy(documents -> assertThat(count(documents, "text of omega")).isEqualTo(1))
        .allSatisfy(documents -> assertThat(count(documents, "text of new")).isEqualTo(1));
    assertThat(BRIDGED)
        .allSatisfy(path -> assertThat(bridged(path)).contains("text of omega " + REST));
    World.until(() -> got("rsscloud").size() > pings);
    World.until(() -> got("raw").contains(whole));
    assertThat(got("raw")).as("no bytes twice").doesNotHaveDuplicates();
  }
}
