package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A list on its way into a gateway. */
class ImportCommandTest {

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return new CommandLine(new ImportCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @Test
  void a_person_sees_each_line_that_is_not_followed_and_the_sums() throws IOException {
    Path list = folder.resolve("feeds.opml");
    Files.write(
        list,
        Opml.write(
            "x",
            List.of(
                new Outline("http://127.0.0.1:1/feed", "One"),
                new Outline("gopher://two.example/", "Two"))));
    try (TestGateway gateway = TestGateway.on(folder.resolve("data"))) {
      assertThat(run(list.toString(), "--gateway", gateway.url("/"))).isEqualTo(1);
      assertThat(gateway.store().feeds().byTopic("http://127.0.0.1:1/feed")).isPresent();
      StringBuffer people = out.getBuffer();
      String said = people.toString();
      people.setLength(0);
      assertThat(run(list.toString(), "--json", "--gateway", gateway.url("/"))).isEqualTo(1);
      assertThat(out.toString().lines())
          .hasSize(2)
          .anySatisfy(line -> assertThat(line).contains("\"result\":\"known\""))
          .anySatisfy(line -> assertThat(line).contains("\"url\":\"gopher://two.example/\""))
          .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"));
      people.setLength(0);
      people.append(said);
    }

    assertThat(out.toString())
        .contains("line 3, bad: gopher://two.example/: ")
        .contains("2 in the list: 1 followed now, 0 known before, 0 twice, 1 bad, 0 forbidden");
  }

  @Test
  void what_cannot_be_done_says_why() throws IOException {
    assertThat(run(folder.resolve("none.opml").toString())).isEqualTo(1);
    assertThat(err.toString()).contains("there is no such file");
    Path list = folder.resolve("feeds.opml");
    Files.write(list, Opml.write("x", List.of(new Outline("http://one.example/", "One"))));

    assertThat(run(list.toString(), "--gateway", "http://127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString()).contains("the gateway http://127.0.0.1:1: ");
    assertThat(out.toString()).isEmpty();
  }
}
