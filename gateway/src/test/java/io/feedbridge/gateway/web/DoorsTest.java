package io.feedbridge.gateway.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.SetClock;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The doors that give out entries, events or actions are those of the table in the manual, and each
 * is open to the callers that the table names alone.
 */
class DoorsTest {

  private static final String ADMIN = "the-admin-token";
  private static final String PATH = "news.xml";

  private static final String PRIVATE = "private.xml";
  private static final String SECRET = "the-secret-of-the-feed";
  private static final String MARK = "of-the-private-feed";
  private static final String A_STREAM = "this answer does not end by itself";
  private static final String SEARCH = "/hub?hub.mode=search&query=new";

  private static final Pattern ROW =
      Pattern.compile(
          "\\| `(?:([A-Z]+) )?(/[^`]*)` \\| [^|]+ \\|"
              + " (yes|no)[^|]* \\| (yes|no)[^|]* \\| (yes|no)[^|]* \\| (yes|no)[^|]* \\|\n");

  /** Routes that give out no entries, events or actions. */
  private static final Set<String> OTHERS =
      Set.of(
          // The page of a stranger tells how to connect.
          "GET /",
          "GET /connect",
          "GET /sign-in",
          "POST /sign-in",
          "POST /sign-out",
          "GET /assets/{hash}/{name}",
          // Findings on a feed that the caller names.
          "GET /publish",
          "GET /check",
          "POST /check",
          "GET /check/{id}",
          // A list of feeds at a URL that the caller names.
          "GET /opml",
          "OPTIONS /hub",
          // Registrations and pings.
          "POST /pleaseNotify",
          "POST /rsscloud/pleaseNotify",
          "GET /pleaseNotifyForm",
          "GET /ping",
          "POST /ping",
          "POST /rsscloud/ping",
          "GET /pingForm",
          "GET /pingSiteForm",
          "POST /RPC2",
          "POST /weblogUpdates",
          "POST /soap",
          "GET /callback/websub/{id}",
          "POST /callback/websub/{id}",
          "GET /callback/rsscloud/{id}",
          "POST /callback/rsscloud/{id}",
          // Numbers.
          "GET /health",
          "GET /ready",
          "GET /metrics");

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static World world;
  private static String topic;
  private static String privateTopic;

  /** The callers of the table's columns, each by its credentials. */
  private static List<Optional<String>> callers;

  /**
   * A row of the table.
   *
   * @param method absent where the row means all paths that begin so
   * @param open whether the door is open to each of the callers
   */
  record Door(Optional<String> method, String target, List<Boolean> open) {

    private boolean isOf(String route) {
      return method
          .map(one -> route.equals(one + " " + target.split("\\?", 2)[0]))
          .orElseGet(() -> route.split(" ", 2)[1].matches(Pattern.quote(prefix()) + "(/.*)?"));
    }

    private String prefix() {
      return target.replace("/…", "");
    }
  }

  static List<Door> doors() throws IOException {
    String manual = Files.readString(Path.of("docs/security.md"));
    String page =
        manual.substring(manual.indexOf("\n## Doors\n"), manual.indexOf("\n## Private feeds\n"));
    return ROW.matcher(page)
        .results()
        .map(
            row ->
                new Door(
                    Optional.ofNullable(row.group(1)),
                    row.group(2),
                    IntStream.rangeClosed(3, 6).mapToObj(i -> row.group(i).equals("yes")).toList()))
        .toList();
  }

  @BeforeAll
  static void start(@TempDir Path data) {
    world = World.around(TestGateway.guarded(new SetClock(), data, new Secret(ADMIN)));
    String ann = basic("ann:" + world.gateway().addToken("ann", Right.SUBSCRIBE, Right.RETRIEVE));
    String bob = basic("bob:" + world.gateway().addToken("bob", Right.SUBSCRIBE, Right.LIST));
    callers =
        List.of(
            Optional.empty(), Optional.of(bob), Optional.of(ann), Optional.of("Bearer " + ADMIN));
    topic = world.origin().rss(PATH, "", "old");
    for (String login : List.of(ann, bob)) {
      byte[] form =
          Http.encode(
                  "hub.mode",
                  "subscribe",
                  "hub.topic",
                  topic,
                  "hub.callback",
                  world.subscriber().url(login.equals(ann) ? "ann" : "bob"))
              .getBytes(UTF_8);
      assertThat(
              world
                  .gateway()
                  .post("/hub", "application/x-www-form-urlencoded", form, "Authorization", login)
                  .statusCode())
          .isEqualTo(204);
    }
    world.origin().rss(PATH, "", "new", "old");
    world.publish(topic);
    privateTopic = followPrivately();
  }

  /** Has a feed with credentials followed, with a past and a new entry. */
  private static String followPrivately() {
    world.origin().demand(PRIVATE, "Authorization", "Bearer " + SECRET);
    String feed = world.origin().rss(PRIVATE, "", "new-first-" + MARK);
    byte[] asked =
        "{\"url\":\"%s\",\"auth\":{\"type\":\"bearer\",\"token\":\"%s\"}}"
            .formatted(feed, SECRET)
            .getBytes(UTF_8);
    assertThat(
            world
                .gateway()
                .post(
                    "/api/v1/feeds", "application/json", asked, "Authorization", "Bearer " + ADMIN)
                .statusCode())
        .isEqualTo(201);
    world.gateway().settle();
    world.origin().rss(PRIVATE, "", "new-second-" + MARK, "new-first-" + MARK);
    world.publish(feed);
    World.until(() -> text("GET", SEARCH, feed, callers.get(3)).contains(MARK));
    return feed;
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private static String basic(String credentials) {
    return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
  }

  /** The head of the answer to a caller; a stream does not end by itself. */
  private static HttpResponse<InputStream> ask(
      String method, String target, Optional<String> credentials) {
    HttpResponse<InputStream> answer = open(method, target, topic, credentials);
    try {
      answer.body().close();
      return answer;
    } catch (IOException e) {
      throw new AssertionError(method + " " + target, e);
    }
  }

  /** The whole answer to a caller. */
  private static String text(
      String method, String target, String named, Optional<String> credentials) {
    HttpResponse<InputStream> answer = open(method, target, named, credentials);
    String type = answer.headers().firstValue("Content-Type").orElse("");
    try (InputStream body = answer.body()) {
      return type.contains("event-stream") || type.contains("ndjson")
          ? A_STREAM
          : new String(body.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new AssertionError(method + " " + target, e);
    }
  }

  private static HttpResponse<InputStream> open(
      String method, String target, String named, Optional<String> credentials) {
    String path =
        target
            .replace("TOPIC", Http.encode("", named).substring(1))
            .replace("CALLBACK", Http.encode("", world.subscriber().url("ann")).substring(1))
            .replaceAll("\\{[a-z]+\\}", "1");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(world.gateway().url(path)))
            .method(method, HttpRequest.BodyPublishers.noBody());
    credentials.ifPresent(shown -> request.header("Authorization", shown));
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new AssertionError(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static boolean isRefused(HttpResponse<InputStream> answer) {
    return Set.of(401, 403).contains(answer.statusCode())
        || answer
            .headers()
            .firstValue("Location")
            .filter(to -> to.startsWith("/sign-in"))
            .isPresent();
  }

  private static List<String> routesOf(Door door) {
    return door.method().isPresent()
        ? List.of(door.method().get() + " " + door.target())
        : routes().stream().filter(door::isOf).toList();
  }

  private static List<String> routes() {
    return world.gateway().router().routes().stream().toList();
  }

  @ParameterizedTest
  @MethodSource("doors")
  void a_door_is_open_to_the_callers_of_the_table_alone(Door door) {
    List<String> tried = routesOf(door);
    assertThat(tried).isNotEmpty();
    for (String one : tried) {
      String[] methodAndTarget = one.split(" ", 2);
      for (int i = 0; i < callers.size(); i++) {
        boolean open = door.open().get(i);
        // What changes something is not tried by the operator below a prefix.
        if (door.method().isPresent() || !open || methodAndTarget[0].equals("GET")) {
          HttpResponse<InputStream> answer =
              ask(methodAndTarget[0], methodAndTarget[1], callers.get(i));
          String name = "%s by caller %d: %d".formatted(one, i, answer.statusCode());
          if (open) {
            assertThat(isRefused(answer)).as(name).isFalse();
          } else {
            // A form with a file that is none is refused as such.
            assertThat(isRefused(answer) || answer.statusCode() == 400).as(name).isTrue();
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("doors")
  void no_door_gives_entries_of_a_private_feed_to_others_than_operators(Door door) {
    for (String one : routesOf(door)) {
      String[] methodAndTarget = one.split(" ", 2);
      for (int i = 0; i < callers.size() - 1; i++) {
        assertThat(text(methodAndTarget[0], methodAndTarget[1], privateTopic, callers.get(i)))
            .as("%s by caller %d", one, i)
            .doesNotContain(A_STREAM)
            .doesNotContain(MARK)
            .doesNotContain(SECRET);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("doors")
  void no_door_gives_the_secret_of_a_feed_to_operators(Door door) {
    for (String one : routesOf(door)) {
      String[] methodAndTarget = one.split(" ", 2);
      if (methodAndTarget[0].equals("GET") && !methodAndTarget[1].contains("wait=poll")) {
        assertThat(text(methodAndTarget[0], methodAndTarget[1], privateTopic, callers.get(3)))
            .as(one)
            .doesNotContain(SECRET);
      }
    }
  }

  @Test
  void every_route_is_a_door_of_the_table_or_gives_out_nothing() throws IOException {
    List<Door> doors = doors();
    assertThat(doors).hasSizeGreaterThan(20);
    assertThat(routes())
        .allMatch(route -> OTHERS.contains(route) != doors.stream().anyMatch(d -> d.isOf(route)));
    assertThat(routes()).containsAll(OTHERS);
  }
}
