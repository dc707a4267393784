package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.server.limits.ServerLimits;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The table of bounds in the manual is that of the code: bound, default, name, reason, and the
 * option that changes it, where one does.
 */
class BoundsTest {

  private static final Path PAGE = Path.of("docs/bounds.md");
  private static final Pattern ROW =
      Pattern.compile(
          "\\| [^|]* \\| ([^|]+) \\| `([A-Za-z_.]+)` \\| ([^|]*)\\|(?: `(--[a-z-]+)` \\|)?\n");
  private static final String SERVER = "server.limits.ServerLimits.";
  private static final String CALLERS = "guard.Limits.";

  private static final Map<String, Long> BYTES = Map.of("KiB", 1L << 10, "MiB", 1L << 20);
  private static final Map<String, Duration> TIMES =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "min", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));

  record Bound(String name, String reason, String option) {}

  static List<Bound> bounds() throws IOException {
    return ROW.matcher(Files.readString(PAGE))
        .results()
        .map(row -> new Bound(row.group(2), row.group(3).strip(), String.valueOf(row.group(4))))
        .toList();
  }

  private static Object inCode(String name) {
    String root = name.startsWith("normalizer.") ? "io.feedbridge." : "io.feedbridge.gateway.";
    String member = name.substring(name.lastIndexOf('.') + 1);
    try {
      Class<?> type = Class.forName(root + name.substring(0, name.lastIndexOf('.')));
      if (name.startsWith(SERVER)) {
        return type.getMethod(member).invoke(ServerLimits.DEFAULT);
      }
      if (name.startsWith(CALLERS)) {
        return type.getMethod(member).invoke(Settings.Guarding.DEFAULT.limits());
      }
      Field field = type.getDeclaredField(member);
      field.setAccessible(true);
      return field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  /** A value of the code in the unit that the row has: {@code 16 MiB}, {@code 1,000/h}. */
  private static String written(Object value, String before) {
    String unit = before.replaceAll("^[0-9,]+ ?", "");
    if (value instanceof Rate rate) {
      long times = Rate.parse("1" + unit).orElseThrow().time().dividedBy(rate.time());
      assertThat(times).as("%s in place of %s".formatted(value, before)).isEqualTo(1);
      return "%,d%s".formatted(rate.count(), unit);
    }
    if (value instanceof Duration duration) {
      Duration time = Objects.requireNonNull(TIMES.get(unit), before);
      long number = duration.dividedBy(time);
      assertThat(time.multipliedBy(number)).as(before).isEqualTo(duration);
      return "%,d %s".formatted(number, unit);
    }
    long number = ((Number) value).longValue();
    long size = BYTES.getOrDefault(unit, 1L);
    assertThat(number % size).as("%d in place of %s".formatted(number, before)).isZero();
    return "%,d %s".formatted(number / size, unit).strip();
  }

  /** With {@code -Dfeedbridge.manual=write} it writes the values instead. */
  @Test
  void the_values_of_the_table_are_those_of_the_code() throws IOException {
    String page = Files.readString(PAGE);
    StringBuilder made = new StringBuilder();
    int done = 0;
    for (MatchResult row : ROW.matcher(page).results().toList()) {
      made.append(page, done, row.start(1)).append(written(inCode(row.group(2)), row.group(1)));
      done = row.end(1);
    }
    made.append(page, done, page.length());
    if ("write".equals(System.getProperty("feedbridge.manual"))) {
      Files.writeString(PAGE, made);
    } else {
      assertThat(page).isEqualTo(made.toString());
    }
  }

  /** A line that a typing mistake hides from {@link #ROW} is no row that is checked. */
  @Test
  void each_line_of_the_table_that_names_a_constant_is_a_row() throws IOException {
    String page = Files.readString(PAGE);
    long named = page.lines().filter(line -> line.startsWith("| ") && line.contains("` |")).count();
    assertThat(bounds()).hasSize((int) named);
  }

  @Test
  void a_bound_of_the_table_has_a_reason() throws IOException {
    assertThat(bounds()).extracting(Bound::reason).isNotEmpty().doesNotContain("");
  }

  @Test
  void an_option_of_the_table_is_in_the_table_of_options() throws IOException {
    String manual = Files.readString(Path.of("docs/operating.md"));
    int start = manual.indexOf("\n## Options\n");
    String options = manual.substring(start, manual.indexOf("\n## ", start + 1));
    assertThat(bounds())
        .extracting(Bound::option)
        .filteredOn(option -> !option.equals("null"))
        .isNotEmpty()
        .allSatisfy(option -> assertThat(options).contains("| `" + option + "` |"));
  }

  @Test
  void each_bound_of_the_server_is_in_the_table() throws IOException {
    assertThat(bounds())
        .extracting(Bound::name)
        .containsAll(components(ServerLimits.class, SERVER))
        .doesNotHaveDuplicates();
  }

  @Test
  void each_rate_of_a_caller_is_in_the_table_with_its_option() throws IOException {
    List<Bound> bounds =
        bounds().stream().filter(bound -> bound.name().startsWith(CALLERS)).toList();
    assertThat(bounds)
        .extracting(Bound::name)
        .containsAll(
            components(Limits.class, CALLERS).stream()
                .filter(name -> !name.endsWith(".exempt"))
                .toList());
    assertThat(bounds).extracting(Bound::option).allMatch(option -> option.startsWith("--limit-"));
  }

  private static List<String> components(Class<?> type, String prefix) {
    return Arrays.stream(type.getRecordComponents())
        .map(RecordComponent::getName)
        .map(prefix::concat)
        .toList();
  }
}
