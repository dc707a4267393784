package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.Untouched;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What holds for every call of the API, whichever they are: the calls are those of the router, and
 * what may stand in them is what the OpenAPI document says.
 */
class EveryCallTest {

  private static final String TOKEN = "the-token";
  private static final int TOO_LONG = 10 << 20;

  /** Not one of any kind: too small, too long, of something else, no number, a path. */
  private static final List<String> NO_IDS =
      List.of("0", "-1", "987654321", "99999999999999999999", "x", "1x", "pending-987", "%2e%2e");

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A gateway with one of each thing that has an id. */
  private abstract static class Asked {
    World world;

    @BeforeAll
    void start(@TempDir Path data) {
      int port = FreePort.next();
      world =
          World.around(
              TestGateway.guarded(
                  data, port, URI.create("http://127.0.0.1:" + port), token().map(Secret::new)));
      String feed = world.origin().rss("feed.xml", "", "one");
      world.subscribe(feed, "one");
      String hook = new FakeEndpoint(world.subscriber(), "hook").url();
      made("/webhooks", "{\"url\":\"%s\",\"topics\":[\"*\"],\"verified\":true}".formatted(hook));
      made("/publishers", "{\"topic\":\"" + feed + "\"}");
      world.gateway().settle();
    }

    @AfterAll
    void stop() {
      world.close();
    }

    Optional<String> token() {
      return Optional.empty();
    }

    private void made(String path, String body) {
      HttpResponse<String> answer =
          send(
              "POST",
              Api.BASE + path,
              HttpRequest.BodyPublishers.ofString(body),
              "Content-Type",
              "application/json",
              "Authorization",
              "Bearer " + TOKEN);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    HttpResponse<String> send(
        String method, String path, HttpRequest.BodyPublisher body, String... headers) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(world.gateway().url(path))).method(method, body);
      if (headers.length > 0) {
        request.headers(headers);
      }
      try {
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
      } catch (IOException e) {
        throw new UncheckedIOException(method + " " + path + ": " + e, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    HttpResponse<String> send(String method, String path, String... headers) {
      return send(method, path, HttpRequest.BodyPublishers.noBody(), headers);
    }

    /** Those that an operator alone may make, each as its method and path. */
    List<String> guarded() {
      return world.gateway().router().routes().stream()
          .filter(route -> route.matches("\\S+ (/api/.*|/log|/stream)"))
          .toList();
    }

    /**
     * All of them, also of things that do not exist, are answered alike, word for word.
     *
     * @return the answer
     */
    HttpResponse<String> alike(String... headers) {
      HttpResponse<String> first = send("GET", "/log", headers);
      for (String route : guarded()) {
        String[] methodAndPath = route.split(" ", 2);
        for (String id : List.of("1", "webhook-1", "987654321", "x")) {
          String path = EveryCallTest.with(methodAndPath[1], id);
          HttpResponse<String> answer = send(methodAndPath[0], path, headers);
          assertThat(answer.statusCode()).as(route).isEqualTo(first.statusCode());
          assertThat(answer.body()).as(route).isEqualTo(first.body());
        }
      }
      assertThat(guarded()).hasSizeGreaterThan(25);
      return first;
    }
  }

  /** A path of the router or of the document, with an id in its first place and a 1 in others. */
  private static String with(String path, String id) {
    return path.replace("{id}", id).replaceAll("\\{\\w+}", "1");
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithATokenToBeShown extends Asked {

    @Override
    Optional<String> token() {
      return Optional.of(TOKEN);
    }

    @Test
    void nobody_learns_without_it_what_exists_nor_changes_anything() {
      Untouched before = Untouched.of(world);
      HttpResponse<String> nothing = alike();
      HttpResponse<String> wrong = alike("Authorization", "Bearer wrong");
      HttpResponse<String> proxied = alike("X-Forwarded-For", "127.0.0.1");

      assertThat(List.of(nothing, wrong, proxied))
          .allSatisfy(
              answer -> {
                assertThat(answer.statusCode()).isEqualTo(401);
                assertThat(answer.headers().allValues("WWW-Authenticate")).hasSize(2);
                assertThat(json(answer.body()).get("status").asInt()).isEqualTo(401);
              });
      before.holds();
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithoutAToken extends Asked {

    @Test
    void whoever_comes_through_a_proxy_on_this_machine_or_from_a_page_of_others_is_403() {
      Untouched before = Untouched.of(world);
      for (List<String> hint :
          List.of(
              List.of("X-Forwarded-For", "127.0.0.1"),
              List.of("Forwarded", "for=127.0.0.1"),
              List.of("X-Forwarded-Proto", "https"),
              List.of("Origin", "https://elsewhere.example"))) {
        HttpResponse<String> answer = alike(hint.toArray(String[]::new));
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(json(answer.body()).get("detail").asText()).contains("--admin-token");
      }
      before.holds();
    }

    private JsonNode document() {
      return json(world.gateway().get("/api/v1/openapi.json").body());
    }

    /** What the document says of one call. */
    private record Call(String method, String path, JsonNode operation, JsonNode document) {

      /** Its path for the things that there are. */
      String existing() {
        return EveryCallTest.with(path, "1");
      }

      List<JsonNode> parameters() {
        List<JsonNode> all = new ArrayList<>();
        operation.path("parameters").forEach(one -> all.add(resolved(one)));
        return all;
      }

      Optional<JsonNode> body() {
        return Optional.of(operation.at("/requestBody/content/application~1json/schema"))
            .filter(schema -> !schema.isMissingNode())
            .map(this::resolved);
      }

      private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
      }

      @Override
      public String toString() {
        return method + " " + path;
      }
    }

    private Stream<Call> calls() {
      JsonNode document = document();
      return document.get("paths").properties().stream()
          .flatMap(
              path ->
                  path.getValue().properties().stream()
                      .map(
                          operation ->
                              new Call(
                                  operation.getKey().toUpperCase(Locale.ROOT),
                                  path.getKey(),
                                  operation.getValue(),
                                  document)));
    }

    private void assertProblem(String what, HttpResponse<String> answer, int status) {
      assertThat(answer.statusCode()).as(what + ": " + answer.body()).isEqualTo(status);
      assertThat(answer.headers().firstValue("Content-Type"))
          .as(what)
          .hasValue("application/problem+json");
      JsonNode problem = json(answer.body());
      assertThat(problem.get("status").asInt()).as(what).isEqualTo(status);
      assertThat(problem.get("title").asText()).as(what).isNotEmpty();
      assertThat(problem.get("detail").asText()).as(what).isNotEmpty();
    }

    private void assertNamed(String what, HttpResponse<String> answer, String field) {
      assertProblem(what, answer, 400);
      JsonNode errors = json(answer.body()).get("errors");
      assertThat(errors).as(what + ": " + answer.body()).hasSize(1);
      assertThat(errors.at("/0/field").asText()).as(what).isEqualTo(field);
      assertThat(errors.at("/0/detail").asText()).as(what).isNotEmpty();
    }

    private HttpResponse<String> with(Call call, String body) {
      return send(
          call.method,
          call.existing(),
          HttpRequest.BodyPublishers.ofString(body),
          "Content-Type",
          "application/json");
    }

    private HttpResponse<String> with(Call call, String name, String value) {
      return send(call.method, call.existing() + "?" + name + "=" + value);
    }

    @Test
    void a_field_that_is_unknown_or_of_another_type_is_named_and_nothing_changes() {
      Untouched before = Untouched.of(world);
      Set<String> seen = new HashSet<>();
      calls()
          .filter(call -> call.body().isPresent())
          .forEach(
              call -> {
                assertNamed(call + "", with(call, "{\"nonsense\":1}"), "nonsense");
                call.body()
                    .get()
                    .get("properties")
                    .properties()
                    .forEach(
                        property -> {
                          String name = property.getKey();
                          String body = "{\"" + name + "\":" + other(property.getValue()) + "}";
                          assertNamed(call + " " + body, with(call, body), name);
                          seen.add(name);
                        });
              });
      assertThat(seen).contains("url", "topics", "secret", "filter", "verified", "topic");
      before.holds();
    }

    /** A value of a type that the schema does not have. */
    private static String other(JsonNode schema) {
      String types = schema.path("type").toString();
      return types.contains("string") ? "7" : types.contains("array") ? "\"x\"" : "\"true\"";
    }

    @Test
    void what_is_no_JSON_object_is_400_and_nothing_changes() {
      Untouched before = Untouched.of(world);
      calls()
          .filter(call -> call.body().isPresent())
          .forEach(
              call ->
                  Stream.of("[]", "null", "\"x\"", "7", "{", "{}{}", "{\"url\":", "\u0000", "{} x")
                      .forEach(body -> assertProblem(call + body, with(call, body), 400)));
      before.holds();
    }

    @Test
    void a_body_of_10_MB_is_413_and_one_of_another_type_415() {
      Untouched before = Untouched.of(world);
      calls()
          .filter(call -> !call.method.equals("GET"))
          .forEach(
              call ->
                  assertProblem(
                      call + "",
                      send(
                          call.method,
                          call.existing(),
                          HttpRequest.BodyPublishers.ofByteArray(new byte[TOO_LONG]),
                          "Content-Type",
                          "application/json"),
                      413));
      calls()
          .filter(call -> call.body().isPresent())
          .forEach(
              call ->
                  assertProblem(
                      call + "",
                      send(
                          call.method,
                          call.existing(),
                          HttpRequest.BodyPublishers.ofString("url=x"),
                          "Content-Type",
                          "application/x-www-form-urlencoded"),
                      415));
      before.holds();
    }

    @Test
    void an_id_of_another_kind_is_404() {
      Untouched before = Untouched.of(world);
      Set<String> walked = new HashSet<>();
      calls()
          .filter(call -> call.path.contains("{id}"))
          .forEach(
              call -> {
                List<String> ids = new ArrayList<>(NO_IDS);
                if (!call.path.contains("/subscriptions/")) {
                  ids.add("webhook-1");
                }
                for (String id : ids) {
                  String path = EveryCallTest.with(call.path, id);
                  HttpRequest.BodyPublisher body =
                      call.body().isPresent()
                          ? HttpRequest.BodyPublishers.ofString("{}")
                          : HttpRequest.BodyPublishers.noBody();
                  HttpResponse<String> answer =
                      send(call.method, path, body, "Content-Type", "application/json");
                  // What is taken out of the path is not there at all.
                  if (id.startsWith("%")) {
                    assertThat(answer.statusCode()).as(call + id).isIn(400, 404, 405);
                  } else {
                    assertProblem(call + " " + id, answer, 404);
                  }
                }
                walked.add(call.path);
              });
      assertThat(walked).hasSizeGreaterThan(10);
      before.holds();
    }

    @Test
    void a_cursor_that_is_made_up_and_a_limit_out_of_bounds_are_named() {
      Set<String> lists = new HashSet<>();
      for (Call call : calls().toList()) {
        if (call.parameters().stream()
            .noneMatch(one -> one.path("name").asText().equals("cursor"))) {
          continue;
        }
        lists.add(call.path);
        for (String position : List.of("abc", "-1", "99999999999999999999", "1 OR 1=1", "\u0000")) {
          String cursor =
              Base64.getUrlEncoder()
                  .withoutPadding()
                  .encodeToString(position.getBytes(StandardCharsets.UTF_8));
          assertNamed(call + " " + position, with(call, "cursor", cursor), "cursor");
        }
        assertNamed(call + "", with(call, "cursor", "%7Bmade+up%7D"), "cursor");
        for (String limit : List.of("0", "501", "-1", "x", "1e2", "99999999999")) {
          assertNamed(call + " " + limit, with(call, "limit", limit), "limit");
        }
        assertNamed(call + "", with(call, "limit", "1&limit=2"), "limit");
      }
      assertThat(lists).hasSizeGreaterThan(5);
    }

    @Test
    void a_parameter_that_has_no_such_value_is_named() {
      Untouched before = Untouched.of(world);
      Set<String> named = new HashSet<>();
      for (Call call : calls().toList()) {
        for (JsonNode parameter : call.parameters()) {
          String name = parameter.get("name").asText();
          boolean chosen =
              parameter.at("/schema/enum").isArray()
                  || parameter.at("/schema/type").asText().equals("boolean");
          if (parameter.get("in").asText().equals("query") && chosen) {
            assertNamed(call + " " + name, with(call, name, "nonsense"), name);
            assertNamed(call + " " + name, with(call, name, "a&" + name + "=b"), name);
            named.add(name);
          }
        }
      }
      assertThat(named).contains("state", "upstream", "protocol", "force");
      before.holds();
    }

    @Test
    void what_is_not_there_and_other_methods_are_problems_too() {
      assertProblem("path", send("GET", "/api/v1/nonsense"), 404);
      assertProblem("path", send("DELETE", "/api/v2/feeds"), 404);
      for (Call call : calls().filter(call -> !call.existing().contains("/lists/")).toList()) {
        HttpResponse<String> answer = send("PUT", call.existing());
        assertProblem(call + "", answer, 405);
        assertThat(answer.headers().firstValue("Allow").orElseThrow()).contains(call.method);
      }
    }

    @Test
    void the_log_names_what_it_does_not_know() {
      assertNamed("format", send("GET", "/log?format=xml"), "format");
      assertNamed("kind", send("GET", "/log?kind=nonsense"), "kind");
      assertNamed("id", send("GET", "/log?format=sse", "Last-Event-ID", "x"), "Last-Event-ID");
    }
  }
}
