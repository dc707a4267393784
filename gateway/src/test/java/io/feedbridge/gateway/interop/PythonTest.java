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
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Python's xmlrpc.client calls the cloud, and its xmlrpc.server is called by it. */
class PythonTest {

  @TempDir static Path folder;

  @BeforeAll
  static void python_is_there() {
    boolean there;
    try {
      there = new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException | InterruptedException e) {
      there = false;
    }
    Assumptions.assumeTrue(there, "there is no python3 on this machine");
  }

  @Test
  void an_aggregator_in_python_registers_pings_and_is_notified() throws Exception {
    Process handler = start("handler.py");
    try (World world = World.on(folder.resolve("data"));
        BufferedReader notified = reader(handler)) {
      String feed = world.origin().rss("feed.xml", "", "one");
      String port = notified.readLine();

      Process client = start("client.py", world.gateway().url(""), feed, port);
      List<String> said;
      try (BufferedReader output = reader(client)) {
        said = output.lines().toList();
      }

      assertThat(said)
          .hasSize(6)
          .startsWith(
              "hello True",
              "pleaseNotify True",
              "ping True",
              "weblog False Thanks for the ping.",
              "methods True");
      assertThat(said.get(5)).startsWith("fault 4 port '0'");
      assertThat(notified.readLine()).as("the test of the handler").isEqualTo(feed);

      world.gateway().settle();
      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(feed);

      assertThat(notified.readLine()).as("the notification").isEqualTo(feed);
    } finally {
      handler.destroy();
    }
  }

  private static Process start(String script, String... arguments) throws IOException {
    Path file = folder.resolve(script);
    try (InputStream source = PythonTest.class.getResourceAsStream("/interop/" + script)) {
      assertThat(source).isNotNull();
      Files.write(file, source.readAllBytes());
    }
    List<String> command =
        Stream.concat(Stream.of("python3", file.toString()), Arrays.stream(arguments)).toList();
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static BufferedReader reader(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }
}
