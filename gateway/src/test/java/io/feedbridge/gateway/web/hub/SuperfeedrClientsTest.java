package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Wishes, digests and parts of documents by the wire forms of Superfeedr's unmodified clients. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuperfeedrClientsTest {

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Http http = new Http();
  private World world;
  private String credentials = "";
  private String encoded = "";

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    String login = "a-login-that-is-long-enough-for-a-line-break";
    credentials =
        login
            + ":"
            + world
                .gateway()
                .addToken(login, Right.SUBSCRIBE, Right.UNSUBSCRIBE, Right.LIST, Right.RETRIEVE);
    encoded = Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
  }

  @AfterAll
  void stop() {
    world.close();
  }

  /** How a client posts. */
  enum Client {
    /** rack-superfeedr: credentials as a field of the form, with Ruby's line breaks. */
    RUBY,
    /** Superfeedr.php: curl's multipart, since its fields are an array; JSON by Accept. */
    PHP,
    /** superfeedr-node by request: a form, and credentials in the header. */
    NODE,
    /** requests with {@code json=}. */
    PYTHON,
    /** A page of another origin: credentials in the query. */
    BROWSER
  }

  private HttpResponse<String> post(Client client, String... form) {
    String hub = world.gateway().url("/hub");
    String basic = "Basic " + encoded;
    return switch (client) {
      case RUBY -> {
        List<String> all = new ArrayList<>(List.of(form));
        all.addAll(
            List.of(
                "authorization",
                Base64.getMimeEncoder(60, new byte[] {'\n'})
                    .encodeToString(credentials.getBytes(UTF_8))));
        yield send(hub, FORM, Http.encode(all.toArray(String[]::new)));
      }
      case PHP ->
          send(
              hub,
              "multipart/form-data; boundary=----------------------------83ff53821b7c",
              multipart("----------------------------83ff53821b7c", form),
              "Authorization",
              basic,
              "Accept",
              "application/json");
      case NODE -> send(hub, FORM, Http.encode(form), "Authorization", basic);
      case PYTHON -> send(hub, "application/json", json(form), "Authorization", basic);
      case BROWSER ->
          send(
              hub + "?" + Http.encode("authorization", encoded),
              FORM + "; charset=UTF-8",
              Http.encode(form),
              "Origin",
              "https://reader.example",
              "Sec-Fetch-Site",
              "cross-site");
    };
  }

  private HttpResponse<String> send(String url, String type, String body, String... headers) {
    return http.post(url, type, body.getBytes(UTF_8), headers).join();
  }

  private static String multipart(String boundary, String... form) {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < form.length; i += 2) {
      body.append("--").append(boundary);
      body.append("\r\nContent-Disposition: form-data; name=\"")
          .append(form[i])
          .append("\"\r\n\r\n");
      body.append(form[i + 1]).append("\r\n");
    }
    return body.append("--").append(boundary).append("--\r\n").toString();
  }

  private static String json(String... form) {
    var object = JSON.createObjectNode();
    for (int i = 0; i < form.length; i += 2) {
      object.put(form[i], form[i + 1]);
    }
    return object.toString();
  }

  private static String[] subscription(String topic, String callback, String... more) {
    List<String> form =
        new ArrayList<>(
            List.of("hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback));
    form.addAll(List.of(more));
    return form.toArray(String[]::new);
  }

  private static JsonNode read(HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private String path(Client client, String name) {
    return name + "-" + client.name().toLowerCase(Locale.ROOT);
  }

  @ParameterizedTest
  @EnumSource
  void each_client_may_name_wishes_and_ask_for_digests(Client client) throws IOException {
    String path = path(client, "wishes");
    String topic = world.origin().rss(path, "", "1");
    String callback = world.subscriber().url(path);
    String[] form =
        subscription(
            topic,
            callback,
            "format",
            "json",
            "every",
            "15m",
            "only",
            "new,removed",
            "fields",
            "title",
            "superfeedr.digest",
            "true");

    assertThat(post(client, form).statusCode()).isEqualTo(204);

    String query = "/api/v1/subscriptions?" + Http.encode("topic", topic);
    JsonNode found = read(world.gateway().get(query)).path("items").path(0);
    assertThat(found.path("every").asText()).as(found.toString()).isEqualTo("15m");
    assertThat(found.path("only").asText()).isEqualTo("new,removed");
    assertThat(found.path("fields").asText()).isEqualTo("title");
    assertThat(found.path("digest").asBoolean()).isTrue();
    world.publish(world.origin().rss(path, "", "2", "1"));
    JsonNode item = JSON.readTree(world.delivery(path).body()).path("items").path(0);
    assertThat(item.fieldNames()).toIterable().containsExactlyInAnyOrder("id", "title");
  }

  @ParameterizedTest
  @EnumSource
  void each_client_is_told_of_a_wish_that_is_none(Client client) {
    String path = path(client, "bad");
    String topic = world.origin().rss(path, "", "1");
    String callback = world.subscriber().url(path);

    HttpResponse<String> every = post(client, subscription(topic, callback, "every", "1s"));
    assertThat(every.statusCode()).isEqualTo(422);
    assertThat(every.body()).contains("every", "10s to 24h");

    HttpResponse<String> part = post(client, subscription(topic + "#p%5B", callback));
    assertThat(part.statusCode()).isEqualTo(422);
    assertThat(part.body()).contains("p[");
    assertThat(world.gateway().rows().count("subscription WHERE callback = '" + callback + "'"))
        .isZero();
  }

  private String priceIs(String path, String price) {
    return world
            .origin()
            .serve(path, "text/html", "<title>Shop</title><p class=\"price\">" + price + "</p>")
        + "#.price";
  }

  @ParameterizedTest
  @EnumSource
  void each_client_may_follow_a_part_of_a_page(Client client) {
    String path = path(client, "shop");
    String part = priceIs(path, "9");

    HttpResponse<String> answer =
        post(client, subscription(part, world.subscriber().url(path), "retrieve", "true"));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("<p class=\"price\">9</p>");
    priceIs(path, "10");
    world.publish(world.origin().url(path));
    assertThat(new String(world.delivery(path).body(), UTF_8))
        .isEqualTo("<p class=\"price\">10</p>");
  }

  @Test
  void a_page_of_another_origin_reads_a_part_and_calls_no_function_with_it() {
    String part = priceIs("read", "9");
    String callback = world.subscriber().url("read");
    assertThat(post(Client.BROWSER, subscription(part, callback)).statusCode()).isEqualTo(204);
    String retrieve =
        world.gateway().url("/hub?")
            + Http.encode("hub.mode", "retrieve", "hub.topic", part, "authorization", encoded);
    String[] other = {"Origin", "https://reader.example", "Sec-Fetch-Site", "cross-site"};

    HttpResponse<String> read = http.send("GET", retrieve, other);
    HttpResponse<String> called = http.send("GET", retrieve + "&callback=fn", other);

    assertThat(read.statusCode()).isEqualTo(200);
    assertThat(read.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
    assertThat(read.body()).isEqualTo("<p class=\"price\">9</p>");
    assertThat(called.statusCode()).isEqualTo(422);
    assertThat(called.body()).contains("JSON");
  }
}
