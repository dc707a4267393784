package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StubServer;
import io.feedbridge.gateway.testing.World;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Subscriptions and pings from the command line, at a real gateway. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SubscribeCommandTest {

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private record Run(int code, String out, String err) {}

  private static Run run(Object command, List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments.toArray(String[]::new));
    return new Run(code, out.toString(), err.toString());
  }

  private Run subscribe(String topic, String path, String... more) {
    List<String> arguments = new ArrayList<>(List.of(topic, "--to", world.subscriber().url(path)));
    arguments.addAll(List.of("--gateway", world.gateway().url("/")));
    arguments.addAll(List.of(more));
    return run(new SubscribeCommand(), arguments);
  }

  private Run ping(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--gateway", world.gateway().url("")));
    all.addAll(List.of(arguments));
    return run(new PingCommand(), all);
  }

  private void answerQuestions(String path, int status) {
    world
        .subscriber()
        .onQuestion(path, any -> CompletableFuture.completedFuture(Response.empty(status)));
  }

  private static JsonNode json(String line) throws JsonProcessingException {
    return new ObjectMapper().readTree(line);
  }

  @Test
  void a_callback_that_confirms_is_active_until_its_lease_ends() throws JsonProcessingException {
    String feed = world.origin().rss("feed.xml", "", "old");
    Run run =
        subscribe(feed, "one", "--format", "json", "--lease", "2h", "--secret", "s", "--json");

    assertThat(run.err).isEmpty();
    assertThat(run.code).isZero();
    JsonNode subscription = json(run.out);
    assertThat(subscription.path("state").asText()).isEqualTo("active");
    assertThat(subscription.path("format").asText()).isEqualTo("json");
    assertThat(Http.first(world.subscriber().asked("one").get(0).query(), "hub.lease_seconds"))
        .isEqualTo("7200");

    world.origin().rss("feed.xml", "", "new", "old");
    Run ping = ping(feed, "http://nobody.follows/this");
    assertThat(ping.code).isZero();
    assertThat(ping.out.lines())
        .containsExactly(feed + ": Thanks for the ping.", unfollowed("http://nobody.follows/this"));
    Request delivery = world.delivery("one");
    assertThat(delivery.header("X-Hub-Signature")).isPresent();
    assertThat(delivery.header("Content-Type"))
        .hasValueSatisfying(t -> assertThat(t).contains("json"));
  }

  @Test
  void a_topic_that_is_no_feed_is_named_beside_the_active_subscription()
      throws JsonProcessingException {
    String page = world.origin().serve("page", "text/html", "<html>Hello</html>");

    Run run = subscribe(page, "page", "--format", "raw");
    Run json = subscribe(page, "page", "--format", "raw", "--json");

    assertThat(run.code).isZero();
    assertThat(run.out).startsWith("active until 2");
    assertThat(run.err).contains("a problem: it is a web page, not a feed");
    assertThat(json(json.out).path("kind").asText()).isEqualTo("page");
    assertThat(json(json.out).path("problem").asText()).contains("a web page");
    assertThat(json.err).isEmpty();
  }

  @Test
  void a_topic_that_cannot_be_fetched_yet_is_said_to_be_waited_for() {
    world.origin().fail("later.xml", 404);

    Run run = subscribe(world.origin().url("later.xml"), "later");

    assertThat(run.code).as(run.err).isZero();
    assertThat(run.out).contains("waits for the feed's first document, until 20");
    assertThat(run.err).contains("status 404");
  }

  @Test
  void a_renewal_is_told_from_what_was_there_before() {
    String feed = world.origin().rss("renewed.xml", "", "old");
    assertThat(subscribe(feed, "renewed").out).startsWith("active until 2");
    assertThat(subscribe(feed, "renewed", "--lease", "3h").out).startsWith("active until 2");

    answerQuestions("renewed", 404);
    Run refused = subscribe(feed, "renewed", "--lease", "4h");
    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.err)
        .startsWith("not renewed: the callback answered with status 404")
        .contains("is unchanged");
    world.subscriber().onQuestion("renewed", any -> new CompletableFuture<>());
    Run hanging = subscribe(feed, "renewed", "--wait", "500ms");
    assertThat(hanging.code).isEqualTo(1);
    assertThat(hanging.err).contains("not confirmed the renewal").contains("is unchanged");
  }

  @Test
  void a_subscription_to_a_bridged_feed_is_found_too() {
    String feed = world.origin().rss("bridged.xml", "", "old");
    String bridged = world.gateway().url("/feed.atom?" + Http.encode("url", feed));
    assertThat(subscribe(bridged, "bridged").out).startsWith("active until 2");
    assertThat(subscribe(bridged, "bridged", "--lease", "3h").out).startsWith("active until 2");
    answerQuestions("bridged-not", 404);
    assertThat(subscribe(bridged, "bridged-not").code).isEqualTo(1);
  }

  @Test
  void a_refusal_is_told_with_its_reason() {
    answerQuestions("refusing", 404);
    Run refused = subscribe(world.origin().rss("refused.xml", "", "old"), "refusing");
    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.out).isEmpty();
    assertThat(refused.err)
        .contains("not subscribed: ")
        .contains("the callback answered with status 404");

    Run nothing = subscribe(world.origin().fail("nothing.xml", 410), "nothing");
    assertThat(nothing.code).isEqualTo(1);
    assertThat(nothing.err).contains("the topic cannot be fetched");

    Run noUrl = subscribe("no url", "one");
    assertThat(noUrl.code).isEqualTo(1);
    assertThat(noUrl.err).contains("answered with status 400").contains("hub.topic");
  }

  @Test
  void who_does_not_wait_so_long_is_told_that_it_goes_on() {
    String feed = world.origin().rss("slow.xml", "", "old");
    world.subscriber().onQuestion("slow", any -> new CompletableFuture<>());
    Run late = subscribe(feed, "slow", "--wait", "200ms");
    assertThat(late.code).isEqualTo(1);
    assertThat(late.err).contains("not active after 0.2 s; ");

    Run unseen = subscribe(feed, "quick", "--wait", "0");
    assertThat(unseen.code).isZero();
    assertThat(unseen.out).contains("requested");
  }

  @Test
  void a_webhook_is_made_and_its_secret_shown_once() {
    world
        .subscriber()
        .answer(
            "hook",
            asked ->
                CompletableFuture.completedFuture(
                    Response.of(200, "application/json", asked.body())));
    Run run = subscribe(world.origin().rss("hooked.xml", "", "old"), "hook", "--webhook");
    assertThat(run.err).isEmpty();
    assertThat(run.code).isZero();
    assertThat(run.out.lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("made: webhook "),
            line -> assertThat(line).contains(": whsec_"),
            line -> assertThat(line).isEqualTo("active"));
  }

  @Test
  void JSON_is_whole_however_long_it_is() throws JsonProcessingException {
    String path = "hook/" + "x".repeat(PlainText.MAX);
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), path);
    Run run = subscribe("*", path, "--webhook", "--json", "--wait", "0");
    assertThat(run.code).isZero();
    assertThat(json(run.out).path("url").asText()).isEqualTo(endpoint.url());
  }

  @Test
  void a_webhook_that_does_not_confirm_stays_pending_with_the_reason()
      throws JsonProcessingException {
    world.subscriber().answer("hookless", 404);
    Run run = subscribe("*", "hookless", "--webhook", "--wait", "1s", "--json");
    assertThat(run.code).isEqualTo(1);
    List<String> lines = run.out.lines().toList();
    assertThat(json(lines.get(0)).path("secret").asText()).startsWith("whsec_");
    assertThat(json(lines.get(1)).path("state").asText()).isEqualTo("pending");
    assertThat(json(lines.get(1)).path("secret").isMissingNode()).isTrue();

    Run bad = subscribe("*", "hookless", "--webhook", "--secret", "short");
    assertThat(bad.code).isEqualTo(1);
    assertThat(bad.err).contains("status 400").contains("secret: ");
  }

  @Test
  void a_webhook_that_the_gateway_disables_is_said_to_be_disabled_with_the_reason()
      throws JsonProcessingException {
    try (StubServer gateway =
        StubServer.serving(
            asked ->
                CompletableFuture.completedFuture(
                    Response.of(
                        200,
                        "application/json",
                        "{\"id\":\"7\",\"secret\":\"whsec_x\",\"state\":\"%s\",\"reason\":\"HTTP 410\"}"
                            .formatted(asked.method().equals("GET") ? "disabled" : "pending")
                            .getBytes(StandardCharsets.UTF_8))))) {
      List<String> arguments =
          List.of("*", "--to", "https://s.example/", "--webhook", "--gateway", gateway.url());
      Run told = run(new SubscribeCommand(), arguments);
      assertThat(told.code).isEqualTo(1);
      assertThat(told.err).contains("the webhook is disabled: HTTP 410");

      List<String> asJson = new ArrayList<>(arguments);
      asJson.add("--json");
      String last = run(new SubscribeCommand(), asJson).out.lines().toList().get(1);
      assertThat(json(last).path("state").asText()).isEqualTo("disabled");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format html",
        "--lease soon",
        "--lease 1ms",
        "--wait 2h",
        "--wait x",
        "--webhook --lease 2h",
        "--webhook --format json"
      })
  void what_is_asked_for_wrongly_ends_with_2(String options) {
    Run run = subscribe("http://a.example/", "never", options.split(" ", -1));
    assertThat(run.code).isEqualTo(2);
    assertThat(run.err).contains("--");
    assertThat(world.subscriber().asked("never")).isEmpty();
  }

  @Test
  void a_ping_that_is_refused_ends_with_1_and_the_others_are_taken() {
    String feed = world.origin().rss("pinged.xml", "", "old");
    Run run = ping("no\u001b[2Jurl", feed);
    assertThat(run.code).isEqualTo(1);
    assertThat(run.out).isEqualTo(unfollowed(feed) + System.lineSeparator());
    assertThat(run.err).startsWith("no\uFFFD[2Jurl: ").doesNotContain("\u001b");

    Run lines = ping("--json", "no\u009b2Jurl", feed);
    assertThat(lines.code).isEqualTo(1);
    assertThat(lines.err).isEmpty();
    assertThat(lines.out).doesNotContain("\u009b");
    assertThat(lines.out.lines())
        .satisfiesExactly(
            line -> {
              assertThat(json(line).path("url").asText()).isEqualTo("no\u009b2Jurl");
              assertThat(json(line).path("success").asBoolean()).isFalse();
              assertThat(json(line).path("msg").asText()).isNotEmpty();
            },
            line ->
                assertThat(json(line).toString())
                    .startsWith("{\"url\":\"%s\",\"success\":true,".formatted(feed))
                    .contains("\"msg\":\"Thanks for the ping. No subscriber here follows "));
  }

  private static String unfollowed(String feed) {
    return "%1$s: Thanks for the ping. No subscriber here follows %1$s: it was not fetched."
        .formatted(feed);
  }

  @Test
  void a_gateway_that_is_away_is_told_with_what_to_do() {
    List<String> away = List.of("--gateway", "http://127.0.0.1:1");
    List<String> pinged = new ArrayList<>(List.of("http://a.example/"));
    pinged.addAll(away);
    List<String> subscribed = new ArrayList<>(pinged);
    subscribed.addAll(List.of("--to", "http://127.0.0.1:1/"));
    for (Run run :
        List.of(run(new PingCommand(), pinged), run(new SubscribeCommand(), subscribed))) {
      assertThat(run.code).isEqualTo(1);
      assertThat(run.err).contains("it cannot be reached").contains("feedbridge serve");
    }
  }
}
