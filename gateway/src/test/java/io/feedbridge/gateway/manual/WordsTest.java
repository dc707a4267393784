package io.feedbridge.gateway.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The manual, {@code --help}, the messages and the comments name the thing that they mean: no
 * pronoun stands in its place. The strings of the main code are both the help and the messages.
 */
class WordsTest {

  /** Words that stand in the place of a thing. A word in backquotes or quotes is meant itself. */
  private static final Pattern PRONOUN =
      Pattern.compile(
          "(?i)(?<![`\"\\w])(who|whom|whoever|whomever|what|those|somebody|someone|nobody|anybody"
              + "|anyone|everybody)(?![`\"\\w])");

  /** Places where such a word is right, by the words around it. */
  private static final List<String> ALLOWED = List.of("says what is wrong", "| what to set |");

  private static final Pattern COMMENT = Pattern.compile("^\\s*(?://|/?\\*)");

  private static final List<String> MODULES =
      List.of("gateway", "normalizer", "protocol-websub", "protocol-rsscloud");

  @Test
  void the_manual_names_the_thing_that_it_means() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : Pages.all()) {
      int line = 0;
      for (String text : Pages.prose(page).lines().toList()) {
        line++;
        found.addAll(pronouns(text, page + ":" + line));
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void the_help_and_the_messages_name_the_thing_that_they_mean() throws IOException {
    List<String> found = new ArrayList<>();
    int messages = 0;
    for (Path file : sources(MODULES)) {
      for (Literals.Literal literal : Literals.of(Files.readString(file))) {
        if (literal.text().contains(" ")) {
          messages++;
          found.addAll(pronouns(literal.text(), file + ":" + literal.line()));
        }
      }
    }
    assertThat(found).isEmpty();
    assertThat(messages).isGreaterThan(500);
  }

  @Test
  void comments_name_the_thing_that_they_mean() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : sources(MODULES)) {
      int line = 0;
      for (String text : Files.readAllLines(file)) {
        line++;
        if (COMMENT.matcher(text).find()) {
          found.addAll(pronouns(text, file + ":" + line));
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void the_description_of_the_API_names_the_thing_that_it_means() throws IOException {
    String api =
        Files.readString(
            Pages.TOP.resolve(
                "gateway/src/main/resources/io/feedbridge/gateway/web/api/openapi.json"));
    assertThat(api.lines().flatMap(line -> pronouns(line, "openapi.json").stream())).isEmpty();
  }

  @Test
  void a_literal_is_read_without_comments_and_with_its_parts() {
    assertThat(
            Literals.of(
                """
                // "a comment"
                char c = '"'; /* "another" */
                String s = "says \\"a\\" "
                    + "thing" + n + "end";
                """))
        .containsExactly(
            new Literals.Literal(3, "says \\\"a\\\" thing"), new Literals.Literal(4, "end"));
  }

  private static List<Path> sources(List<String> modules) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : modules) {
      try (Stream<Path> files = Files.walk(Pages.TOP.resolve(module).resolve("src/main/java"))) {
        files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(sources::add);
      }
    }
    return sources;
  }

  private static List<String> pronouns(String text, String place) {
    String checked = text;
    for (String allowed : ALLOWED) {
      checked = checked.replace(allowed, "");
    }
    return PRONOUN
        .matcher(checked)
        .results()
        .map(MatchResult::group)
        .map(word -> place + ": '" + word + "' in: " + text.strip())
        .toList();
  }
}
