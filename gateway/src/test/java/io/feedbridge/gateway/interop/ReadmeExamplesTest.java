package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of the manual do what it says: its programs, which are files that it quotes, are
 * compiled and run, and its commands are run as they stand there.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ReadmeExamplesTest {

  private static final Path EXAMPLES = Path.of("src/examples");

  /** The name of a language behind the fence of a quote, by the suffix of its files. */
  private static final Map<String, String> LANGUAGES = Map.of("java", "java");

  private static final Pattern SHELL = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);

  /** The pages whose commands are run, in this order. */
  private static final List<Path> PAGES =
      Stream.of("../README.md", "subscribers.md", "webhooks.md", "publishers.md", "tutorial.md")
          .map(page -> page.startsWith("..") ? Path.of(page) : Path.of("docs", page))
          .toList();

  private World world;
  private Path classes;
  private final List<Program> started = new ArrayList<>();

  /** A program that was started, and what it has printed. */
  private static final class Program {
    private final Process process;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Thread reader;

    Program(List<String> command, Map<String, String> environment) throws IOException {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(environment);
      process = builder.start();
      reader = new Thread(this::read, "example");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        out.lines().forEach(said::add);
      } catch (IOException | RuntimeException ended) {
        // It was ended while it spoke.
      }
    }

    boolean hasSaid(String part) {
      return said.stream().anyMatch(line -> line.contains(part));
    }

    void awaitSaid(String part) {
      World.until(() -> hasSaid(part) || !process.isAlive());
      assertThat(hasSaid(part)).as(part + " in " + said).isTrue();
    }

    String end() throws InterruptedException {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      reader.join();
      return String.join("\n", said);
    }
  }

  @BeforeAll
  void start(@TempDir Path data, @TempDir Path folder) throws IOException {
    classes = folder;
    List<String> files = examples("java").map(Path::toString).toList();
    assertThat(files).hasSize(5);
    List<String> arguments = new ArrayList<>();
    // No class path: an example needs the JDK alone.
    arguments.addAll(
        List.of("-Xlint:all", "-Werror", "-cp", classes.toString(), "-d", classes.toString()));
    arguments.addAll(files);
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(String[]::new)))
        .isZero();
    world = World.on(data);
  }

  private static Stream<Path> examples(String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(EXAMPLES)) {
      return files
          .filter(file -> file.toString().endsWith("." + suffix))
          .sorted()
          .toList()
          .stream();
    }
  }

  @Test
  void the_manual_quotes_each_program_as_it_is_compiled() throws IOException {
    String manual = "";
    try (Stream<Path> pages = Files.list(Path.of("docs"))) {
      for (Path page : pages.toList()) {
        manual += Files.readString(page);
      }
    }
    for (Map.Entry<String, String> language : LANGUAGES.entrySet()) {
      for (Path example : examples(language.getKey()).toList()) {
        String quote = "```" + language.getValue() + "\n" + Files.readString(example) + "```\n";
        assertThat(manual.contains(quote)).as("a quote of " + example).isTrue();
      }
    }
  }

  @AfterAll
  void stop() {
    started.forEach(one -> one.process.destroyForcibly());
    world.close();
  }

  private Program run(String example, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classes.toString(), example));
    command.addAll(List.of(arguments));
    Program program = new Program(command, Map.of());
    started.add(program);
    return program;
  }

  private String gateway(String path) {
    return world.gateway().url(path);
  }

  private static String at(int port, String path) {
    return "http://127.0.0.1:" + port + path;
  }

  @Test
  void the_webhook_receiver_takes_what_is_signed_and_nothing_else() throws IOException {
    String secret = WebhookSecret.make(WebhookSecret.Scheme.SHARED, new SecureRandom()).text();
    int port = FreePort.next();
    Program receiver = run("WebhookReceiver", Integer.toString(port), secret);
    receiver.awaitSaid("ready");
    String url = at(port, "/hook");
    assertThat(new Http().post(url, "application/json", new byte[2]).join().statusCode())
        .isEqualTo(401);
    String topic = world.origin().rss("received", "", "old");
    String body =
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"secret\":\"%s\"}".formatted(url, topic, secret);
    assertThat(world.gateway().json("POST", "/api/v1/webhooks", body).statusCode()).isEqualTo(201);
    World.until(
        () ->
            world
                .gateway()
                .get("/api/v1/webhooks?state=active&" + Http.encode("topic", topic))
                .body()
                .contains(url));
    world.gateway().settle();

    world.origin().rss("received", "", "new", "old");
    world.publish(topic);

    receiver.awaitSaid("Title of new");
    assertThat(receiver.said.get(1)).startsWith("msg_").doesNotContain("Title of old");
  }

  @Test
  void the_WebSub_subscriber_confirms_what_it_asked_for_and_takes_what_is_signed()
      throws IOException {
    int port = FreePort.next();
    String callback = at(port, "/my-callback");
    String topic = world.origin().rss("websub", "", "old");
    Program subscriber = run("WebSubSubscriber", gateway("/hub"), topic, callback, "change-me");
    String row = "subscription WHERE callback = '" + callback + "'";
    World.until(() -> world.gateway().rows().count(row) == 1);
    assertThat(new Http().get(callback + "?hub.topic=x&hub.challenge=y").statusCode())
        .isEqualTo(404);
    new Http().post(callback, "application/json", "forged".getBytes(StandardCharsets.UTF_8)).join();

    world.origin().rss("websub", "", "new", "old");
    world.publish(topic);

    subscriber.awaitSaid("Title of new");
    assertThat(subscriber.hasSaid("forged")).isFalse();
    assertThat(subscriber.hasSaid("202")).isTrue();
  }

  @Test
  void the_rssCloud_aggregator_gives_the_challenge_back_and_fetches_when_it_is_told()
      throws IOException {
    int port = FreePort.next();
    String feed = world.origin().rss("cloud", "", "old");
    Program aggregator =
        run("RssCloudAggregator", gateway("/pleaseNotify"), feed, at(port, "/my-handler"));
    aggregator.awaitSaid("success=\"true\"");
    assertThat(new Http().get(at(port, "/my-handler?url=x&challenge=y")).statusCode())
        .isEqualTo(404);

    world.origin().rss("cloud", "", "new", "old");
    world.publish(feed);

    aggregator.awaitSaid("Title of new");
  }

  /** News come one at a time until a reader has one: when it begins to read it does not say. */
  private static void newsUntil(Callable<Boolean> seen, Runnable one) {
    World.until(
        () -> {
          one.run();
          return seen.call();
        });
  }

  @Test
  void a_stream_reader_that_is_killed_has_each_event_once_also_over_a_restart_of_the_gateway(
      @TempDir Path data) throws IOException {
    int port = FreePort.next();
    String stream = at(port, "/stream");
    List<String> items = new ArrayList<>(List.of("item"));
    String feed = world.origin().rss("stream", "", "item");
    List<String> said = new ArrayList<>();
    String last;
    try (TestGateway gateway = gatewayAt(port, data)) {
      gateway.json("POST", "/api/v1/feeds", "{\"url\":\"" + feed + "\"}");
      gateway.settle();
      Program reader = run("StreamReader", stream);
      newsUntil(() -> !reader.said.isEmpty(), () -> publish(gateway, feed, items));
      reader.process.destroyForcibly();
      said.addAll(reader.said);
      last = said.get(said.size() - 1).split(" ", 2)[0];
      publish(gateway, feed, items);
    }
    try (TestGateway gateway = gatewayAt(port, data)) {
      publish(gateway, feed, items);
      Program reader = run("StreamReader", stream, last);
      newsUntil(() -> reader.said.size() >= 3, () -> publish(gateway, feed, items));
      reader.awaitSaid(title(items.get(0)));
      said.addAll(reader.said);
    }

    // All from the first that it had on: none was lost, none came twice.
    int all = said.size();
    List<String> expected = new ArrayList<>(items.subList(0, all));
    Collections.reverse(expected);
    for (int i = 0; i < all; i++) {
      assertThat(said.get(i)).contains(title(expected.get(i)));
    }
  }

  private static TestGateway gatewayAt(int port, Path data) {
    return TestGateway.guarded(
        data, port, URI.create("http://127.0.0.1:" + port), Optional.empty());
  }

  private static String title(String item) {
    return "\"Title of " + item + "\"";
  }

  /** One more item, in an event of its own. */
  private void publish(TestGateway gateway, String feed, List<String> items) {
    items.add(0, "item" + items.size());
    world.origin().rss(feed.substring(feed.lastIndexOf('/') + 1), "", items.toArray(String[]::new));
    gateway.form("/hub", "hub.mode", "publish", "hub.url", feed);
    gateway.settle();
  }

  @Test
  void the_reader_of_a_bridged_feed_prints_each_entry_once() throws IOException {
    String feed = world.origin().rss("bridged", "", "old");
    world.subscribe(feed, "bridged");
    Program reader = run("BridgedFeedReader", gateway(""), feed, "0");
    reader.awaitSaid("Title of old");

    world.origin().rss("bridged", "", "new", "old");
    world.publish(feed);

    reader.awaitSaid("Title of new");
    assertThat(reader.said).containsExactly("Title of old", "Title of new");
  }

  /** Commands of the shell, each as it stands there, but for those with variables to be filled. */
  private static List<String> curls() throws IOException {
    List<String> commands = new ArrayList<>();
    for (Path page : PAGES) {
      Matcher blocks = SHELL.matcher(Files.readString(page));
      while (blocks.find()) {
        StringBuilder command = new StringBuilder();
        for (String line : blocks.group(1).lines().toList()) {
          command.append(line).append('\n');
          boolean quoted = command.chars().filter(c -> c == '\'').count() % 2 == 1;
          if (line.endsWith("\\") || quoted) {
            continue;
          }
          commands.add(command.toString());
          command.setLength(0);
        }
      }
    }
    return commands.stream()
        .filter(command -> command.startsWith("curl ") && !command.contains("$"))
        .toList();
  }

  @Test
  void each_curl_command_does_what_it_says(@TempDir Path home) throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":", -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "curl"))),
        "there is no curl");
    Files.writeString(home.resolve(".curlrc"), "silent\nshow-error\nfail\nmax-time = 60\n");
    String feed = world.origin().rss("curl", "", "old");
    world.subscribe(feed, "curl");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "my-endpoint");
    List<Program> streams = new ArrayList<>();
    List<String> commands = curls();
    assertThat(commands).hasSizeGreaterThan(12);

    for (String written : commands) {
      String command =
          written
              // A topic, not a feed that is fetched: one that this test changes.
              .replaceAll("([=\"])http://127.0.0.1:5337/test/feed.xml", "$1" + feed)
              .replace("http://127.0.0.1:5337", gateway(""))
              .replace("https://example.org/feed.xml", feed)
              .replace("http://127.0.0.1:8080/", world.subscriber().url(""))
              .replace("port=8080", "port=" + world.subscriber().port())
              .replace("after=4711", "after=0");
      Program curl =
          new Program(List.of("sh", "-c", command), Map.of("CURL_HOME", home.toString()));
      started.add(curl);
      if (command.contains("/stream")) {
        streams.add(curl);
        continue;
      }
      String answer = curl.end();
      assertThat(curl.process.exitValue()).as(written + answer).isZero();
      check(command, answer);
    }

    String row = "subscription WHERE callback LIKE '" + world.subscriber().url("my-") + "%'";
    World.until(() -> world.gateway().rows().count(row) == 2);
    assertThat(world.subscriber().asked("my-callback")).isNotEmpty();
    assertThat(world.subscriber().asked("my-handler")).isNotEmpty();
    World.until(() -> !endpoint.challenges().isEmpty());
    assertThat(streams).hasSize(5);
    List<String> items = new ArrayList<>(List.of("old"));
    newsUntil(
        () -> streams.stream().allMatch(stream -> stream.hasSaid("Title of item")),
        () -> publish(world.gateway(), feed, items));
  }

  private static void check(String command, String answer) throws IOException {
    if (command.contains("/pleaseNotify") || command.contains("/ping ")) {
      assertThat(answer).as(command).contains("success=\"true\"");
    } else if (command.contains("/test/feed.")) {
      assertThat(answer).contains("Feedbridge test feed");
    } else if (command.contains("hub.mode=publish")) {
      assertThat(answer).isEmpty();
    } else if (command.contains("/check ")) {
      assertThat(answer).contains("\"state\":");
    } else if (command.contains("bridged=true")) {
      assertThat(answer).contains("/feed.atom?url=");
    } else if (command.contains("/feed.")) {
      assertThat(answer).as(command).contains("Title of old");
    } else if (command.contains("/api/")) {
      JsonNode json = new ObjectMapper().readTree(answer);
      assertThat(json.has("items") || json.has("id")).as(command + answer).isTrue();
    } else {
      assertThat(command).contains("/hub").contains("hub.mode=subscribe");
      assertThat(answer).contains("accepted");
    }
  }
}
