package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.cli.remote.LiveStream;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The live stream of a real gateway, for people. */
class TailCommandTest {

  private static final LiveStream.Patience SHORT =
      new LiveStream.Patience(
          Duration.ofSeconds(45), Duration.ofMillis(20), Duration.ofMillis(100));

  @TempDir Path data;

  /** An output that its reader may leave. */
  private static final class Pipe extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean broken;

    @Override
    public synchronized void write(int b) throws IOException {
      if (broken) {
        throw new IOException("Broken pipe");
      }
      bytes.write(b);
    }

    synchronized void leave() {
      broken = true;
    }

    synchronized String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }

  private final Pipe out = new Pipe();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new TailCommand(out, Clock.systemUTC(), false, SHORT))
        .setOut(new PrintWriter(out, false, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private CompletableFuture<Integer> start(String... arguments) {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread thread = new Thread(() -> code.complete(run(arguments)), "tail");
    thread.setDaemon(true);
    thread.start();
    return code;
  }

  private static List<String> titles(String lines) {
    return lines
        .lines()
        .flatMap(
            line -> {
              try {
                return new ObjectMapper().readTree(line).findValuesAsText("title").stream();
              } catch (JsonProcessingException e) {
                return Stream.of(line);
              }
            })
        .filter(title -> title.startsWith("Title of "))
        .map(title -> title.replace("Title of ", ""))
        .toList();
  }

  private static void follow(TestGateway gateway, String feed) {
    gateway.store().feeds().keep(List.of(feed), Instant.now()).join();
    World.until(() -> gateway.rows().count("feed WHERE first_fetch_at IS NOT NULL") == 1);
  }

  private static void publish(TestGateway gateway, FakeOrigin origin, String... items) {
    assertThat(gateway.form("/ping", "url", origin.rss("feed.xml", "", items)).statusCode())
        .isEqualTo(200);
    gateway.settle();
  }

  @Test
  void events_are_shown_as_they_come_until_nobody_reads_them() {
    try (FakeOrigin origin = new FakeOrigin();
        TestGateway gateway = TestGateway.on(data)) {
      String feed = origin.rss("feed.xml", "", "old");
      follow(gateway, feed);
      CompletableFuture<Integer> code = start(feed, "--gateway", gateway.url("/"));
      World.until(() -> gateway.meter("feedbridge_stream_readers") == 1);
      publish(gateway, origin, "new", "old");
      World.until(() -> out.text().contains("http://news.example/new"));

      assertThat(out.text().lines().skip(1))
          .containsExactly("  Title of new", "    http://news.example/new");
      assertThat(out.text()).containsPattern("^\\d{4}-.* News  " + feed).doesNotContain("\u001b");

      out.leave();
      publish(gateway, origin, "newer", "new", "old");
      assertThat(code.join()).isZero();
      assertThat(err.toString()).isEmpty();
    }
  }

  @Test
  void each_event_comes_once_over_a_restart_of_the_gateway() {
    int port = FreePort.next();
    URI url = URI.create("http://127.0.0.1:" + port);
    CompletableFuture<Integer> code;
    try (FakeOrigin origin = new FakeOrigin()) {
      try (TestGateway gateway = TestGateway.guarded(data, port, url, Optional.empty())) {
        follow(gateway, origin.rss("feed.xml", "", "old"));
        code = start("--json", "--gateway", url.toString());
        World.until(() -> gateway.meter("feedbridge_stream_readers") == 1);
        publish(gateway, origin, "a", "old");
        World.until(() -> titles(out.text()).contains("a"));
      }
      World.until(() -> err.toString().contains("the stream is lost"));
      try (TestGateway elsewhere = TestGateway.on(data)) {
        publish(elsewhere, origin, "b", "a", "old");
      }
      try (TestGateway gateway = TestGateway.guarded(data, port, url, Optional.empty())) {
        World.until(() -> titles(out.text()).contains("b"));
        publish(gateway, origin, "c", "b", "a", "old");
        World.until(() -> titles(out.text()).contains("c"));
        assertThat(titles(out.text())).containsExactly("a", "b", "c");
        assertThat(err.toString()).contains("it cannot be reached").contains("the stream goes on");
        out.leave();
        publish(gateway, origin, "d", "c", "b", "a", "old");
        assertThat(code.join()).isZero();
      }
    }
  }

  @Test
  void a_refusal_is_told_with_its_reason() {
    int port = FreePort.next();
    String url = "http://127.0.0.1:" + port;
    try (TestGateway gateway =
        TestGateway.guarded(data, port, URI.create(url), Optional.of(new Secret("the-token")))) {
      assertThat(run("--gateway", gateway.url(""))).isEqualTo(1);
      assertThat(err.toString()).contains("status 401").contains("FEEDBRIDGE_TOKEN");

      assertThat(run("--gateway", url, "--token", "the-token", "http://nobody.follows/this"))
          .isEqualTo(1);
      assertThat(err.toString())
          .contains("status 400")
          .contains("topic: the gateway does not follow http://nobody.follows/this")
          .doesNotContain("the-token");
    }
  }

  @Test
  void a_gateway_that_is_away_is_told_with_what_to_do() {
    assertThat(run("--gateway", "http://127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString())
        .contains("the gateway http://127.0.0.1:1: it cannot be reached")
        .contains("feedbridge serve")
        .contains("--gateway");
  }

  @Test
  void what_is_asked_for_wrongly_ends_with_2() {
    assertThat(run("--after", "-1")).isEqualTo(2);
    assertThat(run("--after", "x")).isEqualTo(2);
    assertThat(run("--gateway", "ftp://a/")).isEqualTo(2);
    assertThat(run("--gateway", "http://u:p@127.0.0.1/")).isEqualTo(2);
    assertThat(run("--token", "two words")).isEqualTo(2);
    assertThat(err.toString()).contains("--after: '-1' is not an id").doesNotContain("two words");
  }
}
