package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.Defaults;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code normalize} reads, what it writes, and how it ends. */
class NormalizeCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Clock NOON =
      Clock.fixed(Instant.parse("2026-05-01T12:00:00Z"), ZoneOffset.UTC);

  @TempDir Path folder;

  private record Run(int code, String out, String err) {
    List<JsonNode> lines() {
      return out.lines().map(Run::json).toList();
    }

    private static JsonNode json(String line) {
      try {
        return JSON.readTree(line);
      } catch (IOException e) {
        throw new AssertionError(line, e);
      }
    }
  }

  private static Run run(InputStream in, OutputStream out, String... args) {
    StringWriter err = new StringWriter();
    ConfigFile file = ConfigFile.namedBy(args, Map.of());
    int code =
        new CommandLine(new FeedbridgeCommand())
            .addSubcommand(new NormalizeCommand(in, out, NOON))
            .setDefaultValueProvider(new Defaults(Map.of(), file))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(code, out.toString(), err.toString());
  }

  private static Run run(String... args) {
    return run(
        InputStream.nullInputStream(),
        new ByteArrayOutputStream() {
          @Override
          public synchronized String toString() {
            return toString(StandardCharsets.UTF_8);
          }
        },
        args);
  }

  private static String rss(String channel) {
    return "<rss version='2.0'><channel>" + channel + "</channel></rss>";
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String feed(String name) throws IOException {
    return file(name, rss("<title>" + name + "</title>"));
  }

  @Nested
  class Json {
    @Test
    void is_one_line_for_each_input_in_their_order() throws IOException {
      Run run = run("normalize", feed("b"), feed("a"), feed("c"));
      assertThat(run.code).isZero();
      assertThat(run.lines())
          .extracting(d -> d.path("title").asText())
          .containsExactly("b", "a", "c");
    }

    @Test
    void has_a_line_with_file_and_error_for_what_cannot_be_read() throws IOException {
      String missing = folder.resolve("missing").toString();
      String html = file("page", "<html/>");
      Run run = run("normalize", missing, feed("a"), html, folder.toString());
      assertThat(run.code).isEqualTo(1);
      assertThat(run.lines())
          .satisfiesExactly(
              line -> {
                assertThat(line.fieldNames()).toIterable().containsExactly("file", "error");
                assertThat(line.path("file").asText()).isEqualTo(missing);
                assertThat(line.path("error").asText()).isEqualTo("There is no such file.");
              },
              line -> assertThat(line.path("title").asText()).isEqualTo("a"),
              line -> assertThat(line.path("error").asText()).contains("HTML"),
              line -> assertThat(line.path("error").asText()).isNotEmpty());
      assertThat(run.err).isEmpty();
    }

    @Test
    void says_which_input_a_document_is_of_and_whether_ids_were_generated() throws IOException {
      String file = file("f", rss("<title>F</title><item><title>x</title></item>"));
      JsonNode status = run("normalize", file).lines().get(0).path("status");
      assertThat(status.path("feed").asText()).isEqualTo(file);
      assertThat(status.path("generatedIds").asBoolean()).isTrue();
    }

    @Test
    void has_the_language_of_entries_that_declare_none() throws IOException {
      String file =
          file("f", rss("<item><title>Wegen des Nebels legt die Fähre mittags ab</title></item>"));
      assertThat(run("normalize", file).lines().get(0).at("/items/0/language").asText())
          .isEqualTo("de");
    }

    @Test
    void of_hundreds_of_files_stays_in_order() throws IOException {
      List<String> args = new ArrayList<>(List.of("normalize"));
      List<String> titles = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        String title = "feed" + i;
        // Of unlike sizes, so that some are done before those in front of them
        args.add(file(title, rss("<title>" + title + "</title>" + "<item/>".repeat(i % 7 * 100))));
        titles.add(title);
      }
      Run run = run(args.toArray(String[]::new));
      assertThat(run.code).isZero();
      assertThat(run.lines()).extracting(d -> d.path("title").asText()).isEqualTo(titles);
    }
  }

  @Nested
  class Atom {
    @Test
    void is_one_document_for_each_input() throws IOException {
      Run run = run("normalize", "--format", "atom", feed("a"), feed("b"));
      assertThat(run.code).isZero();
      assertThat(run.out).containsSubsequence("<title>a</title>", "</feed>", "<title>b</title>");
      assertThat(run.out).contains("<updated>2026-05-01T12:00:00Z</updated>");
    }

    @Test
    void leaves_errors_to_the_standard_error() throws IOException {
      String html = file("page", "<html/>");
      Run run = run("normalize", "--format=ATOM", html, feed("a"));
      assertThat(run.code).isEqualTo(1);
      assertThat(run.err).startsWith(html + ": ").contains("HTML");
      assertThat(run.out).contains("<title>a</title>").doesNotContain("HTML");
    }
  }

  @Nested
  class Formats_for_feed_readers {
    @Test
    void are_RSS_and_JSON_Feed() throws IOException {
      assertThat(run("normalize", "--format", "rss", feed("a")).out)
          .contains("<rss version=\"2.0\"", "<title>a</title>");
      assertThat(run("normalize", "--format", "jsonfeed", feed("a")).out)
          .contains("\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"a\"");
    }
  }

  @Nested
  class Inputs {
    private static final String RELATIVE = rss("<link>/site</link>");

    private static String permalink(Run run) {
      assertThat(run.code).as(run.out).isZero();
      return run.lines().get(0).path("permalinkUrl").asText();
    }

    @Test
    void a_dash_is_the_standard_input() {
      InputStream in =
          new ByteArrayInputStream(rss("<title>in</title>").getBytes(StandardCharsets.UTF_8));
      Run run = run(in, new ByteArrayOutputStream(), "normalize", "-");
      assertThat(run.code).isZero();
      assertThat(run.lines()).extracting(d -> d.path("title").asText()).containsExactly("in");
    }

    @Test
    void of_a_file_relative_URLs_stay_relative_without_a_base() throws IOException {
      String file = file("f", RELATIVE);
      assertThat(permalink(run("normalize", file))).isEqualTo("/site");
      assertThat(permalink(run("normalize", "--base", "https://b.example/x", file)))
          .isEqualTo("https://b.example/site");
    }

    @Test
    void the_content_type_gives_the_charset() throws IOException {
      Path file = folder.resolve("f");
      Files.write(file, rss("<title>д</title>").getBytes(Charset.forName("koi8-r")));
      Run run = run("normalize", "--content-type", "text/xml; charset=koi8-r", file.toString());
      assertThat(run.lines().get(0).path("title").asText()).isEqualTo("д");
    }

    @Test
    void a_URL_is_fetched_after_redirects_with_its_headers() {
      try (FakeSubscriber server = new FakeSubscriber()) {
        server.onQuestion(
            "feed",
            request ->
                CompletableFuture.completedFuture(
                    Response.of(
                            200,
                            "application/rss+xml",
                            rss("<link>site</link><item><guid>1</guid></item>")
                                .getBytes(StandardCharsets.UTF_8))
                        .withHeader("Content-Language", "gd")
                        .withHeader("Content-Location", "/a/b")));
        Run run = run("normalize", server.url("feed"));
        assertThat(permalink(run)).endsWith("/a/site");
        assertThat(run.lines().get(0).path("language").asText()).isEqualTo("gd");
        assertThat(run.lines().get(0).path("id").asText()).isEqualTo(server.url("feed"));
        assertThat(permalink(run("normalize", "--base=https://b.example/", server.url("feed"))))
            .isEqualTo("https://b.example/site");
      }
    }

    @Test
    void a_URL_that_gives_no_document_is_an_error() {
      try (FakeOrigin origin = new FakeOrigin()) {
        String url = origin.fail("feed", 503);
        Run run = run("normalize", url);
        assertThat(run.code).isEqualTo(1);
        assertThat(run.lines().get(0).path("file").asText()).isEqualTo(url);
        assertThat(run.lines().get(0).path("error").asText()).contains("503");
      }
    }
  }

  @Nested
  class Usage {
    @Test
    void asked_for_wrongly_it_ends_with_2() throws IOException {
      String file = feed("a");
      assertThat(run("normalize").code).isEqualTo(2);
      assertThat(run("normalize", "-", "-").code).isEqualTo(2);
      assertThat(run("normalize", "--format=yaml", file))
          .satisfies(
              run -> {
                assertThat(run.code).isEqualTo(2);
                assertThat(run.err).contains("'yaml'");
              });
      assertThat(run("normalize", "--base=here", file))
          .satisfies(
              run -> {
                assertThat(run.code).isEqualTo(2);
                assertThat(run.err).contains("--base: 'here'");
              });
    }

    @Test
    void an_output_that_nobody_reads_ends_it() throws IOException {
      OutputStream closed =
          new OutputStream() {
            @Override
            public void write(int b) throws IOException {
              throw new IOException("Broken pipe");
            }
          };
      Run run = run(InputStream.nullInputStream(), closed, "normalize", feed("a"), feed("b"));
      assertThat(run.code).isEqualTo(1);
      assertThat(run.err).contains("Broken pipe");
    }
  }
}
