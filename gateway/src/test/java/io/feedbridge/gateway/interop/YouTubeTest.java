package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stand-in of YouTube's feeds as they were in 2025, and of Google's hub, both over TLS: a feed
 * names no hub, its self is another URL, it answers 404 at times, a push has fewer elements than
 * the feed, and a deletion is pushed without an entry.
 */
class YouTubeTest {

  private static final String TYPE = "text/xml; charset=UTF-8";
  private static final String PATH = "feeds/videos.xml";

  private static final String YOUTUBE = "www.youtube.com";
  private static final String GOOGLE = "pubsubhubbub.appspot.com";

  @TempDir static Path folder;
  private static NamedHosts hosts;

  @TempDir Path data;
  private final FakeOrigin youTube = new FakeOrigin();
  private RawHost youTubeTls;
  private FakeHub google;
  private RawHost googleTls;
  private World world;
  private String hub = "";
  private String topic = "";

  @BeforeAll
  static void nameHosts() {
    hosts = new NamedHosts(folder, "gateway.example", YOUTUBE, GOOGLE);
  }

  @AfterAll
  static void forgetHosts() {
    hosts.close();
  }

  @BeforeEach
  void start() {
    youTubeTls = hosts.before(youTube);
    google = new FakeHub(hosts.http());
    googleTls = hosts.before(google);
    hub = googleTls.at(GOOGLE, "/hub");
    topic = youTubeTls.at(YOUTUBE, "/" + PATH + "?channel_id=UC1");
    world =
        World.around(
            TestGateway.named(
                data,
                URI.create("https://gateway.example"),
                hosts,
                "--public-stream=true",
                "--hub-for=" + youTubeTls.at(YOUTUBE, "/feeds/") + "=" + hub));
  }

  @AfterEach
  void stop() {
    world.close();
    googleTls.close();
    google.close();
    youTubeTls.close();
    youTube.close();
  }

  private static String video(String id, String more) {
    return "<entry><id>yt:video:%1$s</id><yt:videoId>%1$s</yt:videoId><title>Video %1$s</title>"
            .formatted(id)
        + "<link rel='alternate' href='https://www.youtube.com/watch?v=%s'/>".formatted(id)
        + "<author><name>Channel</name><uri>https://www.youtube.com/channel/UC1</uri></author>"
        + "<published>2026-01-02T03:04:05+00:00</published>"
        + "<updated>2026-01-02T03:05:06+00:00</updated>"
        + more
        + "</entry>";
  }

  private static String pushed(String id) {
    return feed(video(id, ""));
  }

  private static String polled(String id) {
    return video(
        id,
        "<media:group><media:title>Video %1$s</media:title><media:thumbnail url='https://i.ytimg.com/vi/%1$s/hqdefault.jpg' width='480' height='360'/><media:description>about %1$s</media:description></media:group>"
            .formatted(id));
  }

  private static String feed(String entries) {
    return "<feed xmlns:yt='http://www.youtube.com/xml/schemas/2015'"
        + " xmlns:media='http://search.yahoo.com/mrss/' xmlns='http://www.w3.org/2005/Atom'>"
        + "<link rel='self' href='http://www.youtube.com/feeds/videos.xml?channel_id=UC1'/>"
        + "<id>yt:channel:UC1</id><title>Channel</title>"
        + entries
        + "</feed>";
  }

  /** The push of a deletion, which has neither a title nor an id of the feed. */
  private static String deleted(String id) {
    return "<?xml version='1.0' encoding='UTF-8'?><feed"
        + " xmlns:at='http://purl.org/atompub/tombstones/1.0'"
        + " xmlns='http://www.w3.org/2005/Atom'>"
        + "<at:deleted-entry ref='yt:video:%1$s' when='2026-01-02T04:00:00.123456+00:00'><link href='https://www.youtube.com/watch?v=%1$s'/>"
            .formatted(id)
        + "<at:by><name>Channel</name><uri>https://www.youtube.com/channel/UC1</uri></at:by>"
        + "</at:deleted-entry></feed>";
  }

  private void push(String document) {
    assertThat(google.deliver(topic, "application/atom+xml", document).statusCode())
        .isBetween(200, 299);
    world.gateway().settle();
  }

  private void webhook(FakeEndpoint endpoint) {
    String terms = "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(endpoint.url(), topic);
    assertThat(world.gateway().json("POST", "/api/v1/webhooks", terms).statusCode())
        .isBetween(200, 299);
    World.until(() -> world.gateway().get("/api/v1/webhooks").body().contains("\"active\""));
  }

  private static String text(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }

  private String retrieved() {
    String call = Http.encode("hub.mode", "retrieve", "hub.topic", topic, "format", "json");
    return world.gateway().getAsOperator("/hub?" + call).body();
  }

  private String found() {
    return world.gateway().get("/api/v1/search?q=video").body();
  }

  private String bridged() {
    return world.gateway().get("/feed.atom?" + Http.encode("url", topic)).body();
  }

  private void serve(String... videos) {
    youTube.serve(
        PATH,
        TYPE,
        feed(String.join("", List.of(videos).stream().map(YouTubeTest::polled).toList())));
  }

  private List<String> got() {
    return world.subscriber().bodies("json");
  }

  @Test
  void a_channel_is_followed_at_the_known_hub_by_the_URL_that_was_asked_for() {
    serve("one");
    world.subscribe(topic, "json", "format", "json");

    World.until(() -> google.subscribers(topic) == 1);
    assertThat(google.callback(topic)).startsWith("https://gateway.example/callback/websub/");
    assertThat(google.requests().get(0))
        .as("over TLS a secret may be sent")
        .containsKey("hub.secret");
    assertThat(world.gateway().get("/api/v1/feeds").body()).contains(hub);
    assertThat(world.gateway().get("/api/v1/explain?" + Http.encode("url", topic)).body())
        .contains(hub);
  }

  @Test
  void a_channel_that_is_not_there_at_first_is_followed_when_it_comes() {
    youTube.fail(PATH, 404);
    world.subscribe(topic, "json", "format", "json");
    serve("one");
    world.publish(topic);

    World.until(() -> google.subscribers(topic) == 1);
    assertThat(google.deliver(topic, "application/atom+xml", pushed("two")).statusCode())
        .isBetween(200, 299);
    World.until(() -> got().size() == 1);
    assertThat(got().get(0)).contains("yt:video:two").doesNotContain("yt:video:one");

    serve("two", "one");
    world.publish(topic);
    assertThat(google.deliver(topic, "application/atom+xml", pushed("two")).statusCode())
        .isBetween(200, 299);
    world.gateway().settle();
    assertThat(got()).as("nothing twice").hasSize(1);
  }

  @Test
  void a_deleted_video_is_one_removal_in_each_form_and_in_no_feed_of_the_gateway() {
    youTube.fail(PATH, 404);
    world.subscribe(topic, "json", "format", "json");
    serve("one");
    world.publish(topic);
    World.until(() -> google.subscribers(topic) == 1);
    world.subscribe(topic, "atom");
    world.subscribe(world.gateway().url("/feed.rss?" + Http.encode("url", topic)), "rss");
    world.register(topic, "cloud");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "webhook");
    webhook(endpoint);
    push(pushed("two"));
    World.until(() -> endpoint.messages().size() == 1);
    assertThat(bridged()).contains("yt:video:one", "yt:video:two");
    World.until(() -> found().contains("yt:video:one") && found().contains("yt:video:two"));

    push(deleted("two"));
    String removed = "{\"id\":\"yt:video:two\",\"removed\":true,\"when\":1767326400}";
    assertThat(text(world.deliveries("json", 2).get(1))).contains("\"items\":[" + removed + "]");
    assertThat(text(world.deliveries("atom", 2).get(1)))
        .contains("<title>Channel</title>", "<at:deleted-entry ref=\"yt:video:two\" when=\"2026-")
        .doesNotContain("<entry");
    world.deliveries("cloud", 2);
    assertThat(text(endpoint.messages(2).get(1)))
        .startsWith("{\"type\":\"feed.entries.removed\",")
        .contains(removed);
    assertThat(world.gateway().get("/api/v1/events?" + Http.encode("topic", topic)).body())
        .contains("\"change\":\"removed\"");
    String after = world.gateway().url("/stream?after=0&" + Http.encode("topic", topic));
    try (StreamClient reader = hosts.http().stream(after)) {
      World.until(() -> reader.lines().stream().anyMatch(line -> line.contains(removed)));
    }
    assertThat(world.subscriber().received("rss")).as("RSS has no form for it").hasSize(1);

    push(deleted("two"));
    serve("two", "one");
    world.publish(topic);
    for (String now : List.of(bridged(), retrieved(), found())) {
      assertThat(now).contains("yt:video:one").doesNotContain("yt:video:two");
    }
    assertThat(bridged()).contains("<title>Channel</title>");
    serve("one");
    world.publish(topic);
    for (String path : List.of("json", "atom")) {
      assertThat(world.subscriber().received(path)).as("nothing twice: " + path).hasSize(2);
    }
    assertThat(endpoint.messages()).hasSize(2);
  }
}
