package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of the README's first steps, run by a shell as they stand there, on other ports. */
class FirstStepsIT {

  private static final Path README = Path.of("../README.md");
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final Duration LONG = Duration.ofSeconds(90);

  @TempDir Path folder;

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void stop() {
    // The children of a shell first: the shell alone would leave them behind.
    started.forEach(
        process -> {
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly();
        });
  }

  private static List<String> blocks(String port, String receiver) throws IOException {
    String text = Files.readString(README);
    String steps = text.substring(text.indexOf("## First steps"), text.indexOf("## Where to read"));
    Matcher matcher = BLOCK.matcher(steps);
    List<String> blocks = new ArrayList<>();
    while (matcher.find()) {
      blocks.add(matcher.group(1).replace("8080", receiver).replace("5337", port));
    }
    return blocks;
  }

  private Path run(String script, int number) throws IOException {
    Path output = folder.resolve(number + ".out");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-c", script)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    // The command's defaults are the usual port, and the test's gateway has another.
    builder.environment().keySet().removeIf(name -> name.startsWith("FEEDBRIDGE_"));
    builder.environment().put("FEEDBRIDGE_GATEWAY", "http://127.0.0.1:" + gateway);
    builder.environment().put("FEEDBRIDGE_LISTEN", "127.0.0.1:" + gateway);
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -Xmx256m");
    builder
        .environment()
        .merge(
            "PATH",
            System.getProperty("java.home") + File.separator + "bin",
            (old, java) -> java + File.pathSeparator + old);
    started.add(builder.start());
    return output;
  }

  private final int gateway = FreePort.next();
  private final int receiver = FreePort.next();

  private static String text(Path output) throws IOException {
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  private static boolean exists(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  @Test
  void every_block_of_the_first_steps_succeeds_as_it_stands() throws Exception {
    Assumptions.assumeTrue(exists("bash") && exists("curl"), "left out: no bash or no curl");
    Path jar = folder.resolve("gateway/target/feedbridge.jar");
    Files.createDirectories(jar.getParent());
    Files.createSymbolicLink(jar, Path.of(GatewayProcess.jar()).toAbsolutePath());
    List<String> blocks = blocks(Integer.toString(gateway), Integer.toString(receiver));
    assertThat(blocks).hasSizeGreaterThan(8);
    Path received = null;
    for (int i = 0; i < blocks.size(); i++) {
      String block = blocks.get(i);
      if (block.contains(" serve ") || block.contains(" receive ")) {
        Path output = run(block, i);
        await().atMost(LONG).until(() -> text(output).matches("(?s).*(is ready|listening on).*"));
        received = block.contains(" receive ") ? output : received;
      } else {
        // The commands that never end are asked for what they write at their beginning.
        String ending =
            block
                .replaceAll("(?m)^(curl -N .*)$", "timeout 3 $1 || [ \\$? = 124 ]")
                .replaceAll("(?m)^(java \\S+ \\S+ tail).*$", "timeout 3 $1 || [ \\$? = 124 ]")
                .replaceAll("(?m)^curl ", "curl -sS --fail ");
        Path output = run(ending, i);
        Process process = started.get(started.size() - 1);
        assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).as(block).isTrue();
        assertThat(process.exitValue()).as(block + text(output)).isZero();
      }
    }
    Path deliveries = received;
    assertThat(deliveries).isNotNull();
    await()
        .atMost(LONG)
        .until(() -> text(deliveries).contains("/my-callback: WebSub challenge, confirmed"));
    await()
        .atMost(LONG)
        .until(() -> text(deliveries).contains("/my-endpoint: webhook challenge, confirmed"));
    assertThat(text(deliveries)).contains("/my-handler: rssCloud challenge, confirmed");
  }
}
