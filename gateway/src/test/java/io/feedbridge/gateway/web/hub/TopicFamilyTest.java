package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.PollingReader;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A subscription that names no format gets the topic's own family ({@code --hub-format=auto}). */
class TopicFamilyTest {

  private static final String SUPERFEEDR = "http://superfeedr.com/xmpp-pubsub-ext";

  private World world;

  @BeforeEach
  void start(@TempDir Path data) {
    world =
        World.around(
            TestGateway.with(
                data,
                TestGateway.LOOPBACK,
                TestGateway.LOOPBACK,
                Duration.ofHours(1),
                Format.AUTO));
  }

  @AfterEach
  void stop() {
    world.close();
  }

  /** Topics of each family; {@code %s} stands for the items or entries. */
  enum Topic {
    RSS_WITH_GUIDS(
        "application/rss+xml",
        "<rss version=\"2.0\"><channel><title>t</title><link>http://t.example/</link>"
            + "<description/>%s</channel></rss>",
        "<item><title>A &amp;lt;b&amp;gt; %1$s</title><link>http://t.example/%1$s</link>"
            + "<guid isPermaLink=\"false\">tag:%1$s</guid></item>"),
    RSS_WITH_PERMALINKS_ALONE(
        "text/xml; charset=utf-8",
        "<rss version=\"2.0\"><channel><title>t</title><link>http://t.example/</link>"
            + "<description/>%s</channel></rss>",
        "<item><title>%1$s</title><guid>http://t.example/%1$s?a=1&amp;b=2</guid></item>"),
    RSS_WITH_NUMBERS_AS_PERMALINKS(
        "text/xml",
        "<rss version=\"2.0\"><channel><title>t</title><link>http://t.example/</link>"
            + "<description/>%s</channel></rss>",
        "<item><title>%1$s</title><guid>no-url-%1$s</guid></item>"),
    RSS_WITHOUT_GUIDS(
        "application/rss+xml; charset=UTF-8",
        "<rss version=\"2.0\"><channel><title>t</title><link>http://t.example/</link>"
            + "<description/>%s</channel></rss>",
        "<item><title>%1$s</title><link>http://t.example/%1$s</link>"
            + "<description>text of %1$s</description></item>"),
    RSS_WITH_ATOM_IDS(
        "application/rss+xml",
        "<rss version=\"2.0\" xmlns:a=\"http://www.w3.org/2005/Atom\"><channel><title>t</title>"
            + "<link>http://t.example/</link><description/>%s</channel></rss>",
        "<item><title>%1$s</title><link>http://t.example/%1$s</link><a:id>tag:%1$s</a:id></item>"),
    RSS_0_91(
        "text/xml",
        "<rss version=\"0.91\"><channel><title>t</title><link>http://t.example/</link>"
            + "<description>d</description><language>en</language>%s</channel></rss>",
        "<item><title>%1$s</title><link>http://t.example/%1$s</link></item>"),
    RDF(
        "application/rdf+xml",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\""
            + " xmlns=\"http://purl.org/rss/1.0/\"><channel rdf:about=\"http://t.example/\">"
            + "<title>t</title><link>http://t.example/</link><description/></channel>%s</rdf:RDF>",
        "<item rdf:about=\"http://t.example/about/%1$s\"><title>%1$s</title>"
            + "<link>http://t.example/%1$s</link></item>"),
    RDF_AS_XML(RDF, "text/xml; charset=utf-8"),
    RDF_AS_RSS(RDF, "application/rss+xml"),
    RDF_WITHOUT_ABOUT(
        "application/xml",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\""
            + " xmlns=\"http://my.netscape.com/rdf/simple/0.9/\"><channel>"
            + "<title>t</title><link>http://t.example/</link><description>d</description>"
            + "</channel>%s</rdf:RDF>",
        "<item><title>%1$s</title><link>http://t.example/%1$s</link></item>"),
    ATOM(
        "application/atom+xml",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><id>tag:t</id>"
            + "<updated>2026-01-01T00:00:00Z</updated>%s</feed>",
        "<entry><title>%1$s</title><id>tag:%1$s</id><link href=\"http://t.example/%1$s\"/>"
            + "<updated>2026-01-01T00:00:00Z</updated></entry>"),
    ATOM_WITHOUT_IDS(
        "application/xml",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><id>tag:t</id>"
            + "<updated>2026-01-01T00:00:00Z</updated>%s</feed>",
        "<entry><title>%1$s</title><link href=\"http://t.example/%1$s\"/>"
            + "<updated>2026-01-01T00:00:00Z</updated></entry>"),
    JSON(
        "application/feed+json",
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":[%s]}",
        "{\"id\":\"tag:%1$s\",\"url\":\"http://t.example/%1$s\",\"title\":\"%1$s\","
            + "\"content_text\":\"x\"}"),
    JSON_WITHOUT_IDS(
        "application/json",
        "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"t\",\"items\":[%s]}",
        "{\"url\":\"http://t.example/%1$s\",\"title\":\"%1$s\",\"content_text\":\"x\"}");

    private final String mediaType;
    private final String around;
    private final String item;

    Topic(String mediaType, String around, String item) {
      this.mediaType = mediaType;
      this.around = around;
      this.item = item;
    }

    Topic(Topic other, String mediaType) {
      this(mediaType, other.around, other.item);
    }

    String mediaType() {
      return mediaType;
    }

    boolean isJson() {
      return around.startsWith("{");
    }

    String path() {
      return name().toLowerCase(Locale.ROOT);
    }

    byte[] with(String... names) {
      StringBuilder items = new StringBuilder();
      for (String name : names) {
        items.append(items.isEmpty() || !isJson() ? "" : ",").append(item.formatted(name));
      }
      return around.formatted(items).getBytes(UTF_8);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_reader_that_polls_too_has_each_entry_once_as_the_origin_has_it(Topic topic)
      throws Exception {
    Request push = pushed(topic);

    assertThat(push.header("Content-Type")).hasValue(topic.mediaType());
    assertReadOnce(topic, push);
  }

  @ParameterizedTest
  @EnumSource(names = {"RSS_0_91", "RDF", "ATOM"})
  void a_push_has_the_root_element_of_the_topics_family(Topic topic) throws Exception {
    String root =
        switch (topic) {
          case RSS_0_91 -> "<rss ";
          case RDF -> "<rdf:RDF ";
          default -> "<feed ";
        };

    assertThat(text(pushed(topic))).contains("?>" + root);
  }

  /** A reader stores the same of the push as of the topic, and each entry once after both. */
  static void assertReadOnce(Topic topic, Request push) throws Exception {
    assertThat(new String(push.body(), UTF_8)).doesNotContain("urn:feedbridge");
    for (PollingReader.Rules rules : PollingReader.Rules.values()) {
      if (topic.isJson() && rules == PollingReader.Rules.ROME) {
        continue;
      }
      PollingReader pushedFirst = new PollingReader(rules).take(push.body());
      assertThat(pushedFirst.stored())
          .as(rules.name())
          .isEqualTo(new PollingReader(rules).take(topic.with("new")).stored());
      assertThat(pushedFirst.take(topic.with("new")).stored()).as(rules.name()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RSS_WITHOUT_GUIDS", "RDF", "ATOM", "JSON"})
  void the_status_stands_beside_the_entries_in_superfeedrs_namespace(Topic topic) throws Exception {
    Request push = pushed(topic);

    String url = world.origin().url(topic.path());
    if (topic.isJson()) {
      JsonNode document = new ObjectMapper().readTree(push.body());
      assertThat(document.at("/_superfeedr/status/feed").asText()).isEqualTo(url);
      assertThat(document.at("/_superfeedr/status/code").asInt()).isEqualTo(200);
    } else {
      assertThat(new String(push.body(), UTF_8))
          .contains("<status xmlns=\"" + SUPERFEEDR + "\" feed=\"" + url + "\">")
          .contains("<http code=\"200\">");
    }
  }

  private Request pushed(Topic topic) {
    String url = world.origin().serve(topic.path(), topic.mediaType, topic.with("old"));
    world.subscribe(url, "one");
    world.origin().serve(topic.path(), topic.mediaType, topic.with("new", "old"));
    world.publish(url);
    return world.delivery("one");
  }

  @Test
  void a_charset_other_than_that_of_the_document_is_not_repeated() {
    String url =
        world.origin().serve("latin", "text/xml; charset=ISO-8859-1", Topic.RSS_0_91.with("old"));
    world.subscribe(url, "one");
    world
        .origin()
        .serve("latin", "text/xml; charset=ISO-8859-1", Topic.RSS_0_91.with("new", "old"));
    world.publish(url);

    assertThat(world.delivery("one").header("Content-Type")).hasValue("text/xml; charset=utf-8");
  }

  @Test
  void a_format_that_is_named_is_given_in_any_case() {
    Topic topic = Topic.RSS_WITHOUT_GUIDS;
    String url = world.origin().serve(topic.path(), topic.mediaType, topic.with("old"));
    world.subscribe(url, "atom", "format", "atom");
    world.subscribe(url, "json", "format", "json");
    world.subscribe(url, "raw", "format", "raw");
    world.subscribe(url, "auto", "format", "auto");
    world.origin().serve(topic.path(), topic.mediaType, topic.with("new", "old"));
    world.publish(url);

    assertThat(text(world.delivery("atom"))).contains("<feed ").contains("urn:feedbridge:entry:");
    assertThat(text(world.delivery("json"))).contains("\"status\"").contains("urn:feedbridge:");
    assertThat(world.delivery("raw").body()).isEqualTo(topic.with("new", "old"));
    assertThat(text(world.delivery("auto"))).contains("<rss ").doesNotContain("<guid");
  }

  @Test
  void a_call_of_superfeedrs_gets_its_schema_unless_a_format_is_named() {
    String credentials = "ann:" + world.gateway().addToken("ann", Right.SUBSCRIBE);
    Topic topic = Topic.RSS_WITHOUT_GUIDS;
    String url = world.origin().serve(topic.path(), topic.mediaType, topic.with("old"));
    subscribeAs(credentials, url, "schema");
    subscribeAs(credentials, url, "json", "Accept", "application/json");
    world.subscribe(url, "own");
    world.origin().serve(topic.path(), topic.mediaType, topic.with("new", "old"));
    world.publish(url);

    assertThat(text(world.delivery("schema")))
        .contains("<feed ", "urn:feedbridge:entry:", "<status");
    assertThat(text(world.delivery("json"))).startsWith("{").contains("\"status\"");
    assertThat(text(world.delivery("own"))).contains("<rss ");
  }

  private void subscribeAs(String credentials, String topic, String path, String... headers) {
    String encoded = Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
    String[] all =
        Stream.concat(Stream.of("Authorization", "Basic " + encoded), Stream.of(headers))
            .toArray(String[]::new);
    byte[] form =
        Http.encode(
                "hub.mode",
                "subscribe",
                "hub.topic",
                topic,
                "hub.callback",
                world.subscriber().url(path))
            .getBytes(UTF_8);
    assertThat(
            world
                .gateway()
                .post("/hub", "application/x-www-form-urlencoded", form, all)
                .statusCode())
        .isEqualTo(204);
  }

  @Test
  void a_push_of_a_plain_topic_has_the_topic_as_its_self_and_the_hubs_of_the_origin() {
    String body =
        "<rss version=\"2.0\" xmlns:a=\"http://www.w3.org/2005/Atom\"><channel><title>t</title>"
            + "<link>http://t.example/</link><description/>"
            + "<a:link rel=\"self\" href=\"http://elsewhere.example/feed\"/>"
            + "<a:link rel=\"hub\" href=\"http://hub.example/\"/>%s</channel></rss>";
    String url = world.origin().serve("self", "application/rss+xml", body.formatted(""));
    world.subscribe(url, "auto");
    world.subscribe(url, "atom", "format", "atom");
    String item = "<item><title>x</title><link>http://t.example/x</link></item>";
    world.origin().serve("self", "application/rss+xml", body.formatted(item));
    world.publish(url);

    for (String path : new String[] {"auto", "atom"}) {
      String pushed = text(world.delivery(path));
      assertThat(pushed)
          .contains("href=\"" + url + "\" rel=\"self\"")
          .doesNotContain("http://elsewhere.example/feed\" rel=\"self\"");
    }
    assertThat(text(world.delivery("auto"))).contains("http://hub.example/");
  }

  @ParameterizedTest
  @EnumSource(Bridged.class)
  void a_push_of_a_bridged_topic_names_the_gateway_alone_as_its_document_does(Bridged bridged) {
    String body =
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><id>tag:t</id>"
            + "<link rel=\"self\" href=\"http://elsewhere.example/feed\"/>"
            + "<link rel=\"hub\" href=\"http://hub.example/\"/>"
            + "<updated>2026-01-01T00:00:00Z</updated>%s</feed>";
    String url = world.origin().serve("bridged", "application/atom+xml", body.formatted(""));
    String self = world.gateway().url(bridged.path + "?url=" + URLEncoder.encode(url, UTF_8));
    world.subscribe(self, "one");
    String entry =
        "<entry><title>x</title><id>tag:x</id><link href=\"http://t.example/x\"/></entry>";
    world.origin().serve("bridged", "application/atom+xml", body.formatted(entry));
    world.publish(url);

    Request push = world.delivery("one");
    assertThat(push.header("Content-Type")).hasValue(bridged.contentType + "; charset=utf-8");
    for (String document :
        new String[] {
          text(push), world.gateway().get(self.substring(world.gateway().url("").length())).body()
        }) {
      assertThat(document)
          .contains(self)
          .contains(world.gateway().url("/hub"))
          .doesNotContain("http://elsewhere.example/feed")
          .doesNotContain("http://hub.example/");
    }
  }

  enum Bridged {
    ATOM("/feed.atom", "application/atom+xml"),
    RSS("/feed.rss", "application/rss+xml"),
    JSON("/feed.json", "application/feed+json");

    private final String path;
    private final String contentType;

    Bridged(String path, String contentType) {
      this.path = path;
      this.contentType = contentType;
    }
  }

  private static String text(Request request) {
    return new String(request.body(), UTF_8);
  }
}
