package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The receivers of webhooks in other languages work, where the language is installed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class WebhookExamplesTest {

  private static final Path EXAMPLES = Path.of("src/examples/webhooks");

  private World world;
  private final List<Process> started = new ArrayList<>();

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() throws InterruptedException {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    world.close();
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static boolean answers(String url) {
    try {
      return new Http()
              .post(url, "application/json", "{}".getBytes(StandardCharsets.UTF_8))
              .join()
              .statusCode()
          == 401;
    } catch (CompletionException notYet) {
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "node, node receiver.mjs PORT SECRET",
    "python3, python3 receiver.py PORT SECRET",
    "go, go run receiver.go PORT SECRET",
    "php, php -S 127.0.0.1:PORT receiver.php"
  })
  void a_receiver_takes_signed_documents_alone_and_prints_their_entries(
      String language, String command, @TempDir Path folder) throws IOException {
    assumeTrue(isInstalled(language), language + " is not installed: its receiver was not run");
    int port = FreePort.next();
    String secret = WebhookSecret.make(WebhookSecret.Scheme.SHARED, new SecureRandom()).text();
    Path out = folder.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(
                command
                    .replace("PORT", Integer.toString(port))
                    .replace("SECRET", secret)
                    .split(" ", -1))
            .directory(EXAMPLES.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().put("WEBHOOK_SECRET", secret);
    Process receiver = builder.start();
    started.add(receiver);
    String url = "http://127.0.0.1:" + port + "/hook";
    World.until(() -> answers(url) || !receiver.isAlive());
    assertThat(receiver.isAlive()).as(Files.readString(out)).isTrue();

    String path = language + ".xml";
    String topic = world.origin().rss(path, "", "old");
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
    world.origin().rss(path, "", "new", "old");
    world.publish(topic);

    World.until(() -> Files.readString(out).contains("Title of new"));
    assertThat(Files.readString(out))
        .contains("msg_", "feed.entries Title of new")
        .doesNotContain("Title of old");
  }
}
