package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real jar in a process of its own, as a newcomer starts it. */
class DemoIT {

  /** A busy machine takes many times the 15 seconds that the demo allows on an idle one. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path folder;
  private Path output;
  private Path temporary;
  private @Nullable Process started;

  @BeforeEach
  void folders() throws IOException {
    output = folder.resolve("output");
    temporary = Files.createDirectory(folder.resolve("tmp"));
  }

  @AfterEach
  void end() throws InterruptedException {
    if (started != null) {
      started.destroyForcibly().waitFor();
    }
  }

  private Process start(String locale, String... arguments) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(
                    Stream.of(
                        java,
                        "-Djava.io.tmpdir=" + temporary,
                        "-jar",
                        System.getProperty("feedbridge.jar"),
                        "demo"),
                    Stream.of(arguments))
                .toList());
    builder.environment().put("LC_ALL", locale);
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    started = process;
    return process;
  }

  private String shown() throws IOException {
    return Files.readString(output);
  }

  private void assertNothingLeft() throws IOException {
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .noneMatch(name -> name.startsWith("feedbridge-demo"));
    }
  }

  @Test
  void once_it_shows_all_six_crossings_and_exits_with_0() throws Exception {
    Process process = start("C.UTF-8", "--once");

    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(shown()).isZero();
    for (Crossing crossing : Crossing.all()) {
      assertThat(shown())
          .contains("[" + crossing + "]")
          .containsPattern("  " + crossing + " +✓ +\\d+ ms");
    }
    assertNothingLeft();
  }

  @Test
  void until_it_is_stopped_it_goes_on_and_then_exits_with_0_leaving_nothing() throws Exception {
    Process process = start("C");
    await().atMost(PATIENCE).until(() -> shown().contains("Next turn in"));

    process.destroy();

    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(shown()).isZero();
    assertThat(shown())
        .contains("[rssCloud -> WebSub]")
        .matches(text -> text.chars().allMatch(c -> c < 0x80), "plain ASCII");
    assertNothingLeft();
  }
}
