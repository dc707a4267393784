package io.feedbridge.gateway.cli.receive;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReceiveCommandTest {

  private static final String WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  /** The command in a thread of its own. */
  private static final class Running {

    private final StringWriter out = new StringWriter();
    private final CompletableFuture<Integer> code;

    Running(String... more) {
      List<String> arguments = new ArrayList<>(List.of("--port", "0", "--json"));
      arguments.addAll(List.of(more));
      CommandLine line =
          new CommandLine(new ReceiveCommand(Clock.systemUTC())).setOut(new PrintWriter(out, true));
      code =
          CompletableFuture.supplyAsync(
              () -> line.execute(arguments.toArray(String[]::new)),
              task -> new Thread(task).start());
    }

    String url() throws Exception {
      World.until(() -> !lines().isEmpty());
      return lines().get(0).path("url").asText();
    }

    List<JsonNode> lines() throws Exception {
      List<JsonNode> lines = new ArrayList<>();
      for (String line : out.toString().lines().toList()) {
        lines.add(new ObjectMapper().readTree(line));
      }
      return lines;
    }

    int code() throws Exception {
      return code.get(60, TimeUnit.SECONDS);
    }
  }

  private void awaitActive(String list) {
    World.until(() -> world.gateway().get(list).body().contains("\"state\":\"active\""));
  }

  private static int post(String url, String body, String... headers) {
    return new Http()
        .post(url, "text/xml", body.getBytes(StandardCharsets.UTF_8), headers)
        .join()
        .statusCode();
  }

  @Test
  void a_WebSub_subscription_is_confirmed_and_its_signed_delivery_is_shown() throws Exception {
    String feed = world.origin().rss("websub.xml", "", "old");
    Running receiver = new Running("--secret", "s3cret", "--count", "1");
    world.gateway().subscribe(feed, receiver.url() + "a/b", "hub.secret", "s3cret");
    awaitActive("/api/v1/subscriptions?topic=" + feed);
    world.origin().rss("websub.xml", "", "new", "old");
    world.gateway().form("/ping", "url", feed);

    assertThat(receiver.code()).isZero();
    assertThat(receiver.lines().get(1).path("kind").asText())
        .isEqualTo("WebSub challenge, confirmed");
    JsonNode delivery = receiver.lines().get(2);
    assertThat(delivery.path("kind").asText()).isEqualTo("delivery by WebSub");
    assertThat(delivery.path("path").asText()).isEqualTo("/a/b");
    assertThat(delivery.path("signature").asText()).isEqualTo("ok");
    assertThat(delivery.path("text").asText()).contains("new");
  }

  @Test
  void a_wrong_or_missing_signature_is_told_and_ends_with_1() throws Exception {
    Running receiver = new Running("--secret", "s3cret", "--count", "2");
    assertThat(post(receiver.url(), "<rss/>")).isEqualTo(204);
    assertThat(post(receiver.url(), "<rss/>", "X-Hub-Signature", "sha1=" + "0".repeat(40)))
        .isEqualTo(204);
    assertThat(receiver.code()).isEqualTo(1);
    assertThat(receiver.lines().stream().skip(1).map(line -> line.path("signature").asText()))
        .containsExactly("missing", "wrong");
  }

  @Test
  void a_webhook_is_confirmed_and_a_message_with_a_wrong_signature_is_refused() throws Exception {
    String feed = world.origin().rss("webhook.xml", "", "old");
    Running receiver = new Running("--secret", WEBHOOK_SECRET, "--count", "2");
    String asked =
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"secret\":\"%s\"}"
            .formatted(receiver.url(), feed, WEBHOOK_SECRET);
    assertThat(world.gateway().json("POST", "/api/v1/webhooks", asked).statusCode()).isEqualTo(201);
    World.until(() -> receiver.lines().size() == 2);
    assertThat(receiver.lines().get(1).path("signature").asText()).isEqualTo("ok");

    assertThat(
            post(
                receiver.url(),
                "{}",
                "webhook-id",
                "msg_1",
                "webhook-timestamp",
                Long.toString(Clock.systemUTC().instant().getEpochSecond()),
                "webhook-signature",
                "v1,AAAA"))
        .isEqualTo(401);
    assertThat(receiver.lines().get(2).path("signature").asText()).isEqualTo("wrong");
    awaitActive("/api/v1/webhooks?url=" + receiver.url());
    world.origin().rss("webhook.xml", "", "new", "old");
    world.gateway().form("/ping", "url", feed);
    assertThat(receiver.code()).as("one was wrong").isEqualTo(1);
    assertThat(receiver.lines().get(3).path("signature").asText()).isEqualTo("ok");
  }

  @Test
  void an_rssCloud_registration_is_confirmed_and_its_notification_is_shown() throws Exception {
    String feed = world.origin().rss("cloud.xml", "", "old");
    Running receiver = new Running("--count", "1");
    String port = receiver.url().replaceAll(".*:(\\d+)/", "$1");
    String answer =
        world
            .gateway()
            .form(
                "/pleaseNotify",
                "notifyProcedure",
                "",
                "domain",
                "127.0.0.1",
                "port",
                port,
                "path",
                "/handler",
                "protocol",
                "http-post",
                "url1",
                feed)
            .body();
    assertThat(answer).contains("success=\"true\"");
    world.origin().rss("cloud.xml", "", "new", "old");
    world.gateway().form("/ping", "url", feed);
    assertThat(receiver.code()).isZero();
    assertThat(receiver.lines().get(2).path("text").asText()).isEqualTo(feed);
  }
}
