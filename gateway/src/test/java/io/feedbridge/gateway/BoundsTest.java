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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of bounds in the manual is that of the code: bound, default, name, reason, and the
 * option that changes it, where one does.
 */
class BoundsTest {

  private static final Pattern ROW =
      Pattern.compile(
          "\\| [^|]* \\| ([^|]+) \\| `([A-Za-z_.]+)` \\| ([^|]*)\\|(?: `(--[a-z-]+)` \\|)?\n");
  private static final Pattern VALUE =
      Pattern.compile("([0-9,]+)(?: (KiB|MiB|ms|s|min|h|d))?(?:/(.+))?");
  private static final String SERVER = "server.limits.ServerLimits.";
  private static final String CALLERS = "guard.Limits.";

  record Bound(String name, String value, String reason, String option) {}

  static List<Bound> bounds() throws IOException {
    String manual = Files.readString(Path.of("docs/security.md"));
    String page = manual.substring(manual.indexOf("\n## Bounds\n"));
    return ROW.matcher(page)
        .results()
        .map(
            row ->
                new Bound(
                    row.group(2), row.group(1), row.group(3).strip(), String.valueOf(row.group(4))))
        .toList();
  }

  private static Object inCode(String name) throws ReflectiveOperationException {
    String root = name.startsWith("normalizer.") ? "io.feedbridge." : "io.feedbridge.gateway.";
    Class<?> type = Class.forName(root + name.substring(0, name.lastIndexOf('.')));
    String member = name.substring(name.lastIndexOf('.') + 1);
    if (name.startsWith(SERVER)) {
      return type.getMethod(member).invoke(ServerLimits.DEFAULT);
    }
    if (name.startsWith(CALLERS)) {
      return type.getMethod(member).invoke(Settings.Guarding.DEFAULT.limits());
    }
    Field field = type.getDeclaredField(member);
    field.setAccessible(true);
    return field.get(null);
  }

  @ParameterizedTest
  @MethodSource("bounds")
  void a_bound_of_the_table_has_this_value_in_the_code(Bound bound) throws Exception {
    Matcher value = VALUE.matcher(bound.value());
    assertThat(value.matches()).as(bound.value()).isTrue();
    if (value.group(3) != null) {
      assertThat(inCode(bound.name()))
          .isEqualTo(Rate.parse(bound.value().replace(",", "")).orElseThrow());
      return;
    }
    long number = Long.parseLong(value.group(1).replace(",", ""));
    String unit = String.valueOf(value.group(2));
    Object expected =
        switch (unit) {
          case "KiB" -> number << 10;
          case "MiB" -> number << 20;
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          case "min" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          case "d" -> Duration.ofDays(number);
          default -> number;
        };
    Object actual = inCode(bound.name());
    assertThat(actual instanceof Number count ? Long.valueOf(count.longValue()) : actual)
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("bounds")
  void a_bound_of_the_table_has_a_reason(Bound bound) {
    assertThat(bound.reason()).isNotEmpty();
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
