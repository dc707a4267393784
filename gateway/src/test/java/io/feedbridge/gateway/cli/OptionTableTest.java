package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.Defaults;
import io.feedbridge.gateway.cli.options.TableOptions;
import io.feedbridge.gateway.config.Kind;
import io.feedbridge.gateway.config.Option;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** An option is one line of the table: all of its places follow from it. */
class OptionTableTest {

  private static final int USAGE = 2;

  /** The line of an option that the gateway does not have. */
  private static final Option<Integer> SPARES =
      Option.of(Option.Section.OTHER, Kind.count(1, 9), "--spare-parts=3", "Spares to keep.");

  private static final List<Option<?>> TABLE =
      Stream.concat(Options.ALL.stream(), Stream.of(SPARES)).toList();

  private static final String HEAD =
      """
      ### %s

      | option | variable | value | default | meaning |
      |---|---|---|---|---|
      """;

  @TempDir private Path folder;

  private record Run(int code, String out, String err) {}

  private static Run serve(Map<String, String> environment, String... args) {
    ConfigFile file = ConfigFile.namedBy(args, environment);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new ServeCommand(file, TABLE))
            .setDefaultValueProvider(new Defaults(environment, file, args))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(code, out.toString(), err.toString());
  }

  private static OptionValues read(Map<String, String> environment, String... args) {
    TableOptions options = new TableOptions(TABLE);
    new CommandLine(CommandSpec.create().addMixin("table", options.model()))
        .setDefaultValueProvider(new Defaults(environment, ConfigFile.namedBy(args, environment)))
        .parseArgs(args);
    Problems problems = new Problems();
    OptionValues values = options.values(problems);
    assertThat(problems.found()).isEmpty();
    return values;
  }

  private String file(String line) throws IOException {
    return Files.writeString(folder.resolve("feedbridge.properties"), line).toString();
  }

  @Test
  void an_option_of_the_table_is_in_the_help_with_its_bounds_and_its_default() {
    assertThat(serve(Map.of(), "--help").out)
        .containsPattern(
            "Other:\\R(.*\\R)+ +--spare-parts=COUNT +Spares to keep\\.\\R"
                + " +Bounds: 1 to 9\\R +Default: 3\\R");
  }

  @Test
  void an_option_of_the_table_is_read_from_the_command_line_the_environment_and_the_file()
      throws IOException {
    Map<String, String> environment = Map.of("FEEDBRIDGE_SPARE_PARTS", "5");
    String file = file("spare-parts=4");
    assertThat(read(Map.of()).get(SPARES)).isEqualTo(3);
    assertThat(read(Map.of(), "--config", file).get(SPARES)).isEqualTo(4);
    assertThat(read(environment, "--config", file).get(SPARES)).isEqualTo(5);
    assertThat(read(environment, "--config", file, "--spare-parts=6").get(SPARES)).isEqualTo(6);
  }

  @Test
  void a_value_beyond_the_bounds_is_refused_by_the_name_of_the_option() throws IOException {
    String file = file("spare-parts=0");
    for (Run run :
        List.of(
            serve(Map.of(), "--spare-parts=0"),
            serve(Map.of("FEEDBRIDGE_SPARE_PARTS", "0")),
            serve(Map.of(), "--config=" + file))) {
      assertThat(run.code).isEqualTo(USAGE);
      assertThat(run.err).startsWith("--spare-parts: '0' is not a number from 1 to 9");
    }
  }

  @Test
  void a_list_may_be_given_several_times() {
    assertThat(
            read(Map.of(), "--allow-fetch=10.0.0.0/8,fd00::/8", "--allow-fetch", "127.0.0.1")
                .get(Options.ALLOW_FETCH))
        .containsExactly("10.0.0.0/8", "fd00::/8", "127.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"short-secret", "s\u00e9cret, which is a longer one"})
  void a_secret_is_neither_in_the_help_nor_in_a_message(String secret) throws IOException {
    Map<String, String> environment = Map.of("FEEDBRIDGE_ADMIN_TOKEN", secret);
    for (Run run :
        List.of(
            serve(environment, "--help"),
            serve(environment),
            serve(Map.of(), "--admin-token=" + secret),
            serve(Map.of(), "--admin-tokn=" + secret),
            serve(Map.of(), "--admin-token=" + secret, "--admin-token=" + secret),
            serve(Map.of(), "--config=" + file("admin-tokn=" + secret)))) {
      assertThat(run.out + run.err).contains("--").doesNotContain(secret);
    }
  }

  static List<Option<?>> options() {
    return Options.ALL;
  }

  @ParameterizedTest
  @MethodSource("options")
  void a_preset_is_a_value(Option<?> option) {
    assertThat(option.preset())
        .satisfiesAnyOf(
            preset -> assertThat(preset).isEmpty(),
            preset -> assertThat(option.usual()).isNotNull());
  }

  /** With {@code -Dfeedbridge.manual=write} it writes the table instead. */
  @Test
  void the_table_of_the_manual_is_the_table() throws IOException {
    Path page = Path.of("docs", "operating.md");
    String manual = Files.readString(page);
    String begin = "<!-- options: written by OptionTableTest -->\n\n";
    int from = manual.indexOf(begin) + begin.length();
    int to = manual.indexOf("<!-- end of options -->");
    String table =
        Stream.of(Option.Section.values())
            .map(OptionTableTest::manual)
            .collect(Collectors.joining());
    if ("write".equals(System.getProperty("feedbridge.manual"))) {
      Files.writeString(page, manual.substring(0, from) + table + manual.substring(to));
    } else {
      assertThat(manual.substring(from, to)).isEqualTo(table);
    }
  }

  /** With {@code -Dfeedbridge.manual=write} it writes the file instead. */
  @Test
  void the_configuration_of_a_release_has_each_option_with_its_default() throws IOException {
    Path file = Path.of("deploy", "feedbridge.properties");
    String written = CONFIGURATION_HEAD + configuration();
    if ("write".equals(System.getProperty("feedbridge.manual"))) {
      Files.writeString(file, written);
    } else {
      assertThat(file).hasContent(written);
    }
  }

  private static final String CONFIGURATION_HEAD =
      """
      # The configuration of Feedbridge. Each line with an option has its default; remove the # to set another value.
      # The environment (FEEDBRIDGE_POLL_MIN) and the command line (--poll-min) win over this file.
      """;

  private static String configuration() {
    StringBuilder text = new StringBuilder();
    for (Option.Section section : Option.Section.values()) {
      text.append("\n# == ").append(section.heading()).append(" ==\n");
      Options.ALL.stream()
          .filter(option -> option.section() == section)
          .forEach(
              option ->
                  text.append("\n# ")
                      .append(option.text().replace("\n", " "))
                      .append("\n#")
                      .append(option.key())
                      .append('=')
                      .append(option.preset().replace("\\", "\\\\"))
                      .append('\n'));
    }
    return text.toString();
  }

  private static String manual(Option.Section section) {
    return Options.ALL.stream()
        .filter(option -> option.section() == section)
        .map(OptionTableTest::row)
        .collect(Collectors.joining("", HEAD.formatted(section.heading()), "\n"));
  }

  private static String row(Option<?> option) {
    String bounds = option.kind().bounds();
    return "| `%s` | `%s` | %s | %s | %s |\n"
        .formatted(
            option.name(),
            option.variable(),
            code(option.kind().label().replace("|", "\\|"))
                + (bounds.isEmpty() ? "" : ", " + bounds),
            code(option.preset()),
            option.text().replace("*", "\\*").replaceAll("--[a-z-]+|https?://\\S+/", "`$0`"));
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }
}
