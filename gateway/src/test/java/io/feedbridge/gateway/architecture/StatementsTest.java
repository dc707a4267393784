package io.feedbridge.gateway.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of the statements, which have to mean the same on each engine. */
final class StatementsTest {

  private static final Path STATEMENTS = Path.of("src/main/java/io/feedbridge/gateway/store/sql");
  private static final Pattern TEXT_BLOCK = Pattern.compile("\"\"\"(.*?)\"\"\"", Pattern.DOTALL);

  private static final Pattern PART = Pattern.compile("\\b(?:FROM|JOIN)\\s*\\(");

  private static final Pattern NAME =
      Pattern.compile("\\s+(?:AS\\s+)?(?!(?:WHERE|ON|ORDER|LIMIT|GROUP|JOIN|UNION)\\b)\\w+");

  /** Each begins a statement whose rows have no order that matters. */
  private static final List<String> ANY_ORDER =
      List.of(
          // A sample; the rest follows when the sample is done.
          "SELECT f.topic, f.token FROM following f JOIN feed",
          // Rows that are deleted by parts until none is left.
          "SELECT subscription_id FROM laggard",
          // The rows of a recursion come in the order of its steps.
          "WITH RECURSIVE known (name)");

  /**
   * An engine may keep the order of a part, as SQLite does, or join the part's rows in any order,
   * as PostgreSQL does. A page that is cut by a limit then lacks rows that no later page has.
   */
  @Test
  void the_rows_that_a_limit_cuts_have_an_order() throws IOException {
    List<String> all = statements();

    assertThat(all.size()).isGreaterThan(100);
    assertThat(all.stream().filter(StatementsTest::isCutWithoutOrder)).isEmpty();
  }

  @Test
  void an_order_within_a_part_is_none_of_the_whole() {
    assertThat(isCutWithoutOrder("SELECT id FROM (SELECT id FROM t ORDER BY id) p LIMIT 3"))
        .isTrue();
    assertThat(isCutWithoutOrder("SELECT id FROM (SELECT id FROM t LIMIT 9) p ORDER BY id LIMIT 3"))
        .isFalse();
  }

  /** PostgreSQL 15 and older refuse such a statement, and run the other statements. */
  @Test
  void a_part_in_FROM_has_a_name() throws IOException {
    assertThat(statements().stream().filter(StatementsTest::hasPartWithoutName)).isEmpty();
  }

  @Test
  void a_name_stands_behind_the_part() {
    assertThat(hasPartWithoutName("SELECT id FROM (SELECT id FROM t)")).isTrue();
    assertThat(hasPartWithoutName("SELECT id FROM t WHERE a IN (SELECT b FROM (SELECT c FROM t))"))
        .isTrue();
    assertThat(hasPartWithoutName("SELECT id FROM t JOIN (SELECT id FROM t) WHERE id = 1"))
        .isTrue();
    assertThat(hasPartWithoutName("SELECT id FROM (SELECT max(id) FROM t) AS part")).isFalse();
    assertThat(hasPartWithoutName("SELECT id FROM (SELECT id FROM t) part WHERE id = 1")).isFalse();
  }

  private static boolean hasPartWithoutName(String statement) {
    Matcher part = PART.matcher(statement);
    while (part.find()) {
      int depth = 1;
      int end = part.end();
      while (depth > 0 && end < statement.length()) {
        char c = statement.charAt(end++);
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
      // A statement that goes on in another text has its names there.
      if (depth == 0 && !NAME.matcher(statement.substring(end)).lookingAt()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCutWithoutOrder(String statement) {
    String whole = withoutParts(statement);
    return whole.contains("LIMIT")
        && !whole.contains("ORDER BY")
        && ANY_ORDER.stream().noneMatch(statement.strip()::startsWith);
  }

  private static String withoutParts(String statement) {
    StringBuilder whole = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < statement.length(); i++) {
      char c = statement.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      whole.append(depth == 0 ? c : ' ');
    }
    return whole.toString();
  }

  private static List<String> statements() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(STATEMENTS)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        Matcher block = TEXT_BLOCK.matcher(Files.readString(file));
        while (block.find()) {
          found.add(block.group(1).replaceAll("\\s+", " "));
        }
      }
    }
    return found;
  }
}
