package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.ServerLimits;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of bounds in the README is that of the code. */
class BoundsTest {

  private static final Pattern ROW =
      Pattern.compile("\\| [^|]* \\| ([^|]+) \\| `([A-Za-z_.]+)` \\| [^|]*\\|");
  private static final Pattern VALUE = Pattern.compile("([0-9,]+)(?: (KiB|MiB|s))?");
  private static final String LIMITS = "server.ServerLimits.";

  record Bound(String name, String value) {}

  static List<Bound> bounds() throws IOException {
    String readme = Files.readString(Path.of("README.md"));
    String page = readme.substring(readme.indexOf("\n## Bounds\n"));
    return ROW.matcher(page).results().map(row -> new Bound(row.group(2), row.group(1))).toList();
  }

  private static Object inCode(String name) throws ReflectiveOperationException {
    String root = name.startsWith("normalizer.") ? "io.feedbridge." : "io.feedbridge.gateway.";
    Class<?> type = Class.forName(root + name.substring(0, name.lastIndexOf('.')));
    String member = name.substring(name.lastIndexOf('.') + 1);
    if (name.startsWith(LIMITS)) {
      return type.getMethod(member).invoke(ServerLimits.DEFAULT);
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
    long number = Long.parseLong(value.group(1).replace(",", ""));
    String unit = String.valueOf(value.group(2));
    Object expected =
        switch (unit) {
          case "KiB" -> number << 10;
          case "MiB" -> number << 20;
          case "s" -> Duration.ofSeconds(number);
          default -> number;
        };
    Object actual = inCode(bound.name());
    assertThat(actual instanceof Number count ? Long.valueOf(count.longValue()) : actual)
        .isEqualTo(expected);
  }

  @Test
  void each_bound_of_the_server_is_in_the_table() throws IOException {
    Stream<String> all =
        Arrays.stream(ServerLimits.class.getRecordComponents()).map(RecordComponent::getName);
    assertThat(bounds())
        .extracting(Bound::name)
        .containsAll(all.map(LIMITS::concat).toList())
        .doesNotHaveDuplicates();
  }
}
