package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code feedbridge normalize} from the jar, with hardly any heap. */
class NormalizeIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long ENDS_WITHIN_SECONDS = 120;

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  private Run run(String... arguments) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-jar", GatewayProcess.jar()));
    command.add("normalize");
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("FEEDBRIDGE_"));
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    if (!process.waitFor(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    return new Run(process.waitFor(), Files.readString(out), Files.readString(err));
  }

  private String file(String name, String channel) throws IOException {
    String document = "<rss version='2.0'><channel><title>" + name + "</title>" + channel;
    Path file = Files.writeString(folder.resolve(name), document + "</channel></rss>");
    return file.toString();
  }

  @Test
  void a_document_that_fills_the_heap_is_an_error_of_its_own_and_cuts_and_mendings_are_told()
      throws IOException, InterruptedException {
    String[] files = {
      file("damaged", "<item><guid>1</guid><title>a & b</item>"),
      // One wide character makes two bytes of each other one
      file(
          "heap",
          ("<item><description>д" + "x".repeat(7_900_000) + "</description></item>").repeat(2)),
      file("long", "<item><guid>1</guid></item>".repeat(10_001)),
      file("whole", "<item><guid>1</guid></item>")
    };

    Run run = run(files);

    assertThat(run.err).isEmpty();
    assertThat(run.code).isEqualTo(1);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : run.out.lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0).at("/items/0/title").asText()).isEqualTo("a & b");
    assertThat(lines.get(0).path("repairs")).hasSizeGreaterThan(1);
    assertThat(lines.get(1).path("file").asText()).isEqualTo(files[1]);
    assertThat(lines.get(1).path("error").asText()).contains("memory", "-Xmx1g");
    assertThat(lines.get(2).path("items")).hasSize(10_000);
    assertThat(lines.get(2).path("repairs").toString()).contains("10001 entries the first 10000");
    assertThat(lines.get(3).path("title").asText()).isEqualTo("whole");
    assertThat(lines.get(3).has("repairs")).isFalse();
  }

  @Test
  void mendings_are_told_beside_documents_that_have_no_place_for_them()
      throws IOException, InterruptedException {
    String file = file("damaged", "<item><guid>1</guid><title>a & b</title></item>");

    Run run = run("--format", "atom", file);

    assertThat(run.code).isZero();
    assertThat(run.out).contains("a &amp; b").doesNotContain("repaired");
    assertThat(run.err.lines()).allMatch(line -> line.startsWith(file + ": repaired: "));
    assertThat(run.err).contains("ampersands");
  }
}
