package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The receiver that the README shows is compiled as it stands there, and does what it says. */
class WebhookReceiverTest {

  private static final Pattern EXAMPLE =
      Pattern.compile("```java\\n(.*?class WebhookReceiver .*?)```", Pattern.DOTALL);

  @Test
  @Timeout(120)
  void it_gives_the_challenge_back_takes_what_is_signed_and_nothing_else(
      @TempDir Path data, @TempDir Path folder) throws IOException {
    Matcher example = EXAMPLE.matcher(Files.readString(Path.of("README.md")));
    assertThat(example.find()).isTrue();
    Path source = Files.writeString(folder.resolve("WebhookReceiver.java"), example.group(1));
    String secret = WebhookSecret.make(new SecureRandom()).text();
    int port = FreePort.next();
    Process receiver =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                source.toString(),
                Integer.toString(port),
                secret)
            .redirectErrorStream(true)
            .start();
    try (World world = World.on(data);
        BufferedReader said = receiver.inputReader(StandardCharsets.UTF_8)) {
      assertThat(said.readLine()).isEqualTo("ready");
      String url = "http://127.0.0.1:" + port + "/hook";
      assertThat(new Http().post(url, "application/json", new byte[2]).join().statusCode())
          .isEqualTo(401);
      String topic = world.origin().rss("feed", "", "old");
      String body =
          "{\"url\":\"%s\",\"topics\":[\"%s\"],\"secret\":\"%s\"}".formatted(url, topic, secret);
      assertThat(world.gateway().json("POST", "/api/v1/webhooks", body).statusCode())
          .isEqualTo(201);
      World.until(() -> world.gateway().get("/api/v1/webhooks/1").body().contains("\"active\""));
      world.gateway().settle();

      world.origin().rss("feed", "", "new", "old");
      world.publish(topic);

      List<String> words = List.of(said.readLine().split(" ", 2));
      assertThat(words.get(0)).startsWith("msg_");
      assertThat(words.get(1)).contains("Title of new").doesNotContain("Title of old");
    } finally {
      receiver.destroyForcibly();
    }
  }
}
