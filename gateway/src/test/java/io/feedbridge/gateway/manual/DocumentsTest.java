package io.feedbridge.gateway.manual;

import static io.feedbridge.gateway.testing.FakeEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.xmlunit.builder.DiffBuilder;
import org.xmlunit.diff.Diff;

/** The page about documents shows the documents that the gateway sends for the page's feed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentsTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOPIC = "https://example.org/feed.xml";
  private static final Pattern ITEM = Pattern.compile("(?s)<item>.*</item>");
  private static final Pattern FIELD = Pattern.compile("`(\\w+)`");

  /** The fields of a status that change with each fetch, as JSON and Atom name them. */
  private static final Map<String, String> OF_THE_MOMENT =
      Map.of(
          "entriesCountSinceLastMaintenance", "entries_count_since_last_maintenance",
          "lastParse", "last_parse",
          "period", "period",
          "lastMaintenanceAt", "last_maintenance_at",
          "lastFetch", "last_fetch",
          "nextFetch", "next_fetch",
          "http", "http",
          "popularity", "popularity");

  /** The schemas of the tables, by the headings of these. */
  private static final Map<String, String> SCHEMAS =
      Map.of(
          "The document", "Document",
          "status", "DocumentStatus",
          "An item", "DocumentItem",
          "standardLinks", "DocumentLink",
          "actor", "Actor");

  private String page = "";
  private World world;
  private FakeEndpoint endpoint;
  private StreamClient stream;
  private JsonNode openApi;
  private String topic = "";

  @BeforeAll
  void publishTheFeedOfThePage(@TempDir Path data) throws IOException {
    page = Files.readString(Path.of("docs/documents.md"));
    world = World.on(data);
    openApi = JSON.readTree(world.gateway().get("/api/v1/openapi.json").body());
    String feed = block("The feed", "xml");
    topic = serve(ITEM.matcher(feed).replaceAll(""));
    endpoint = new FakeEndpoint(world.subscriber(), "hook");
    String asked = "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(endpoint.url(), topic);
    world.gateway().json("POST", "/api/v1/webhooks", asked);
    World.until(() -> world.gateway().get("/api/v1/webhooks").body().contains("\"active\""));
    world.subscribe(topic, "atom", "format", "atom");
    world.subscribe(topic, "json", "format", "json");
    world.gateway().settle();
    stream = StreamClient.get(world.gateway().url("/stream"));
    serve(feed);
    world.publish(topic);
    world.gateway().settle();
  }

  @AfterAll
  void stop() {
    stream.close();
    world.close();
  }

  private String serve(String feed) {
    return world.origin().serve("feed.xml", "application/rss+xml", feed);
  }

  /** The first block of code in this language below a heading. */
  private String block(String heading, String language) {
    Matcher block =
        Pattern.compile(
                "(?s)\\n##+ %s\\n.*?```%s\\n(.*?)```".formatted(Pattern.quote(heading), language))
            .matcher(page);
    assertThat(block.find()).as(heading).isTrue();
    return block.group(1);
  }

  private Request delivery(String path) {
    World.until(() -> !world.subscriber().received(path).isEmpty());
    return world.subscriber().received(path).get(0);
  }

  private String body(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8).replace(topic, TOPIC);
  }

  /** The document of the page, and the one that was received, with the page's moment. */
  private void assertSame(JsonNode received, JsonNode shown) {
    ObjectNode status = (ObjectNode) received.get("status");
    for (String field : OF_THE_MOMENT.keySet()) {
      if (status.has(field) && shown.get("status").has(field)) {
        status.set(field, shown.get("status").get(field));
      }
    }
    assertThat(received).isEqualTo(shown);
  }

  private static Set<String> names(String block) {
    return block
        .lines()
        .skip(1)
        .takeWhile(line -> !line.isEmpty())
        .map(line -> line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  private void assertHeaders(Request received, String heading) {
    String shown = block(heading, "http");
    Set<String> names = names(shown);
    assertThat(names).isNotEmpty();
    assertThat(names).allMatch(name -> received.header(name).isPresent());
    assertThat(shown).contains("Content-Type: " + received.header("content-type").orElseThrow());
  }

  @Test
  void a_webhook_is_sent_this_message() throws IOException {
    Request message = endpoint.messages(1).get(0);
    assertHeaders(message, "A webhook's message");
    assertSame(JSON.readTree(body(message)), JSON.readTree(block("A webhook's message", "json")));
  }

  @Test
  void a_subscription_in_JSON_is_sent_the_same_with_its_topic() throws IOException {
    ObjectNode shown = (ObjectNode) JSON.readTree(block("A webhook's message", "json"));
    shown.remove("type");
    shown
        .withObjectProperty("standardLinks")
        .withArrayProperty("self")
        .addObject()
        .put("rel", "self")
        .put("href", TOPIC);
    assertSame(JSON.readTree(body(delivery("json"))), shown);
  }

  @Test
  void a_subscription_in_Atom_is_sent_this_document() {
    Request delivery = delivery("atom");
    assertHeaders(delivery, "Atom");
    Diff difference =
        DiffBuilder.compare(block("Atom", "xml"))
            .withTest(body(delivery))
            .ignoreWhitespace()
            .withNodeFilter(
                node ->
                    OF_THE_MOMENT.values().stream()
                        .noneMatch(name -> name.equals(node.getLocalName())))
            .build();
    assertThat(difference.hasDifferences()).as(difference.toString()).isFalse();
  }

  @Test
  void the_live_stream_sends_the_same_with_its_event() throws IOException {
    World.until(() -> !stream.fields("data").isEmpty());
    ObjectNode sent =
        (ObjectNode) JSON.readTree(stream.fields("data").get(0).replace(topic, TOPIC));
    assertThat(sent.remove("eventId").asText()).isEqualTo(stream.fields("id").get(0));
    ObjectNode shown = (ObjectNode) JSON.readTree(block("A webhook's message", "json"));
    shown.remove("type");
    assertSame(sent, shown);
  }

  @Test
  void every_message_is_valid_by_the_OpenAPI_document() throws IOException {
    String id =
        JSON.readTree(world.gateway().get("/api/v1/webhooks").body()).at("/items/0/id").asText();
    world.gateway().send("POST", "/api/v1/webhooks/" + id + "/test");
    endpoint.messages(2);
    world.origin().fail("feed.xml", 410);
    world.publish(topic);
    List<Request> messages = endpoint.messages(3);

    assertValid("endpoint.verification", endpoint.challenges().get(0));
    assertValid("feed.entries", messages.get(0));
    assertValid("endpoint.test", messages.get(1));
    assertValid("feed.status", messages.get(2));
  }

  private void assertValid(String type, Request message) {
    JsonNode schema =
        openApi.get("webhooks").get(type).at("/post/requestBody/content/application~1json/schema");
    ObjectNode whole = JSON.createObjectNode();
    whole.putArray("allOf").add(schema);
    whole.set("components", openApi.get("components"));
    assertThat(json(message).get("type").asText()).isEqualTo(type);
    assertThat(
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(whole)
                .validate(json(message)))
        .isEmpty();
  }

  @Test
  void the_tables_have_the_fields_of_the_OpenAPI_document() {
    SCHEMAS.forEach(
        (heading, schema) ->
            assertThat(fieldsBelow(heading))
                .as(heading)
                .isEqualTo(
                    namesOf(openApi.at("/components/schemas/%s/properties".formatted(schema)))));
  }

  private Set<String> fieldsBelow(String heading) {
    String section = page.substring(page.indexOf("\n### " + heading + "\n") + 1);
    return section
        .lines()
        .dropWhile(line -> !line.startsWith("|---"))
        .skip(1)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> line.substring(0, line.indexOf('|', 1)))
        .flatMap(cell -> FIELD.matcher(cell).results().map(found -> found.group(1)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> namesOf(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
