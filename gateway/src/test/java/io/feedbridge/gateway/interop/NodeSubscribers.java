package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.World;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Subscribers from npm. Not part of a usual build, since they are fetched from a registry: {@code
 * mvn -Drun=NodeSubscribers verify}. Without node and npm it is skipped.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeSubscribers {

  private static final String PACKAGE = "pubsubhubbub@1.0.2";
  private static final long INSTALLED_WITHIN_MINUTES = 3;

  @TempDir static Path folder;
  private World world;

  @BeforeAll
  void install() throws IOException, InterruptedException {
    Assumptions.assumeTrue(runs("node", "--version"), "there is no node on this machine");
    Assumptions.assumeTrue(
        runs("npm", "install", "--no-audit", "--no-fund", "--prefix", folder.toString(), PACKAGE),
        "npm could not install " + PACKAGE);
    try (InputStream script = getClass().getResourceAsStream("/interop/pubsubhubbub.js")) {
      assertThat(script).isNotNull();
      Files.write(folder.resolve("subscriber.js"), script.readAllBytes());
    }
    world = World.on(folder.resolve("data"));
  }

  private static boolean runs(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      boolean ended = process.waitFor(INSTALLED_WITHIN_MINUTES, TimeUnit.MINUTES);
      if (!ended) {
        process.destroyForcibly();
      }
      return ended && process.exitValue() == 0;
    } catch (IOException thereIsNone) {
      return false;
    }
  }

  @AfterAll
  void stop() {
    if (world != null) {
      world.close();
    }
  }

  private Process subscriber(String topic, String secret) throws IOException {
    return new ProcessBuilder(
            "node",
            folder.resolve("subscriber.js").toString(),
            world.gateway().url("/hub"),
            topic,
            secret)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static BufferedReader said(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static List<String> lines(BufferedReader said, int count) throws IOException {
    Stream.Builder<String> lines = Stream.builder();
    for (int i = 0; i < count; i++) {
      lines.add(String.valueOf(said.readLine()));
    }
    return lines.build().toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a secret"})
  void one_subscribes_is_notified_checks_signatures_and_leaves(String secret) throws Exception {
    String path = secret.isEmpty() ? "plain.xml" : "signed.xml";
    String topic = world.origin().rss(path, "", "entry1");
    Process node = subscriber(topic, secret);
    try (BufferedReader said = said(node)) {
      assertThat(lines(said, 3))
          .containsExactlyInAnyOrder("listening", "asked well", "subscribed " + topic);
      World.until(() -> world.gateway().rows().count("subscription") == 1);

      world.origin().rss(path, "", "entry2", "entry1");
      world.publish(topic);
      assertThat(said.readLine()).isEqualTo("feed " + topic + " entry2");

      world.origin().rss(path, "", "entry3", "entry2", "entry1");
      world.publish(topic);
      assertThat(lines(said, 3))
          .startsWith("feed " + topic + " entry3")
          .contains("left well", "unsubscribed " + topic);
      World.until(() -> world.gateway().rows().count("subscription") == 0);
    } finally {
      node.destroy();
    }
  }

  @Test
  void one_is_told_that_it_is_denied() throws Exception {
    String topic = world.origin().fail("none.xml", 410);
    Process node = subscriber(topic, "");
    try (BufferedReader said = said(node)) {
      assertThat(lines(said, 3))
          .containsExactlyInAnyOrder("listening", "asked well", "denied " + topic);
    } finally {
      node.destroy();
    }
  }
}
