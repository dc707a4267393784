package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.cli.offline.BackupCommand;
import io.feedbridge.gateway.cli.operate.StatusCommand;
import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.Defaults;
import io.feedbridge.gateway.cli.remote.LiveStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What {@code serve} makes of its options. Each run has a problem, so that no gateway starts: whose
 * value the problem is about tells which source won.
 */
class OptionsTest {

  private static final int USAGE = 2;

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  private static CommandLine commandLine(Map<String, String> environment, String... args) {
    ConfigFile file = ConfigFile.namedBy(args, environment);
    return new CommandLine(new FeedbridgeCommand())
        .addSubcommand(new ServeCommand(file))
        .addSubcommand(new BackupCommand(file))
        .addSubcommand(
            new NormalizeCommand(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), Clock.systemUTC()))
        .setDefaultValueProvider(new Defaults(environment, file, args));
  }

  private static Run run(Map<String, String> environment, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        commandLine(environment, args)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(code, out.toString(), err.toString());
  }

  private String file(String... lines) throws IOException {
    Path file = folder.resolve("feedbridge.properties");
    Files.write(file, List.of(lines));
    return file.toString();
  }

  private static CommandSpec serve() {
    return commandLine(Map.of()).parseArgs("serve").subcommand().commandSpec();
  }

  private static CommandSpec backup() {
    return commandLine(Map.of()).parseArgs("backup", "file").subcommand().commandSpec();
  }

  private static CommandSpec normalize() {
    return commandLine(Map.of()).parseArgs("normalize", "file").subcommand().commandSpec();
  }

  private static List<CommandSpec> clients() {
    return Stream.of(
            new SubscribeCommand(),
            new PingCommand(),
            new ImportCommand(),
            new TailCommand(
                OutputStream.nullOutputStream(),
                Clock.systemUTC(),
                false,
                LiveStream.Patience.USUAL))
        .map(command -> new CommandLine(command).getCommandSpec())
        .toList();
  }

  @Nested
  class Problems {

    @Test
    void are_told_all_at_once_each_with_its_option() throws IOException {
      String file = file("no-such-key=1", "poll-max=never");
      Path notAFolder = Files.createFile(folder.resolve("not-a-folder"));
      Run run =
          run(
              Map.of("FEEDBRIDGE_BACKUP_POLL", "sometimes"),
              "serve",
              "--config",
              file,
              "--listen=here",
              "--public-url=ftp://a",
              "--data=" + notAFolder,
              "--allow-fetch=everywhere",
              "--allow-callback=nowhere",
              "--hub-format=html",
              "--poll-min=0s",
              "--retention=1h",
              "--admin-token=two words",
              "--trust-proxy=somebody",
              "--test-feed-period=often",
              "--no-such-option");
      assertThat(run.code).isEqualTo(USAGE);
      assertThat(run.err.lines())
          .satisfiesExactlyInAnyOrder(
              line -> assertThat(line).startsWith("--no-such-option: there is no such option"),
              line -> assertThat(line).startsWith("--config: ").contains("'no-such-key'"),
              line -> assertThat(line).startsWith("--listen: "),
              line -> assertThat(line).startsWith("--public-url: "),
              line -> assertThat(line).startsWith("--data: "),
              line -> assertThat(line).startsWith("--allow-fetch: "),
              line -> assertThat(line).startsWith("--allow-callback: "),
              line -> assertThat(line).startsWith("--hub-format: "),
              line -> assertThat(line).startsWith("--admin-token: ").doesNotContain("two words"),
              line -> assertThat(line).startsWith("--trust-proxy: ").contains("'somebody'"),
              line -> assertThat(line).startsWith("--test-feed-period: ").contains("'often'"),
              line -> assertThat(line).startsWith("--poll-min: "),
              line -> assertThat(line).startsWith("--poll-max: ").contains("'never'"),
              line -> assertThat(line).startsWith("--backup-poll: ").contains("'sometimes'"),
              line -> assertThat(line).startsWith("--retention: ").contains("'1h'"),
              line -> assertThat(line).contains("feedbridge serve --help"));
    }

    @Test
    void keep_the_gateway_from_starting_even_if_there_is_one_only() {
      assertThat(run(Map.of(), "serve", "--no-such-option").code).isEqualTo(USAGE);
    }
  }

  @Nested
  class AFolderOfConfiguration {

    private String write(String name, String line) throws IOException {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, line);
      return folder.toString();
    }

    @Test
    void has_the_main_file_and_those_of_conf_d_by_name_of_which_the_last_wins() throws IOException {
      write("conf.d/20-site.properties", "poll-min=second");
      write("conf.d/10-site.properties", "poll-min=first\npoll-max=of the first");
      write("conf.d/30-site.properties.old", "poll-min=of no properties file");
      write("feedbridge.properties", "poll-min=main\nretention=of the main file");

      assertThat(run(Map.of(), "serve", "--config", folder.toString()).err)
          .contains("--poll-min: 'second'", "--poll-max: 'of the first'")
          .contains("--retention: 'of the main file'");
    }

    @Test
    void names_the_file_that_has_an_unknown_key_or_cannot_be_read() throws IOException {
      write("feedbridge.properties", "poll-min=90s");
      write("conf.d/site.properties", "no-such-key=1");
      assertThat(run(Map.of(), "serve", "--config", folder.toString()).err)
          .contains("'no-such-key', which " + folder.resolve("conf.d/site.properties") + " sets");

      Files.write(folder.resolve("conf.d/site.properties"), new byte[] {(byte) 0xff});
      assertThat(run(Map.of(), "serve", "--config", folder.toString()).err)
          .contains(
              "'%s' cannot be read: it is not UTF-8 text"
                  .formatted(folder.resolve("conf.d/site.properties")));
    }

    @Test
    void without_a_main_file_is_a_problem() {
      assertThat(run(Map.of(), "serve", "--config", folder.toString()).err)
          .contains("feedbridge.properties' cannot be read: there is no such file");
    }
  }

  /** The command calls no gateway: its options are read only. */
  @Nested
  class TheConfiguredGateway {

    private static final String HEAD = "status";

    private List<String> asked(String config, String... more) throws IOException {
      Map<String, String> environment = Map.of("FEEDBRIDGE_CONFIG", file(config));
      String[] args = Stream.concat(Stream.of(HEAD), Stream.of(more)).toArray(String[]::new);
      CommandLine line =
          new CommandLine(CommandSpec.create())
              .addSubcommand(new StatusCommand())
              .setDefaultValueProvider(
                  new Defaults(environment, ConfigFile.namedBy(args, environment), args));
      CommandSpec status = line.parseArgs(args).subcommand().commandSpec();
      return Stream.of("--gateway", "--token", "--token-file")
          .map(name -> String.valueOf(status.findOption(name).<Object>getValue()))
          .toList();
    }

    @Test
    void is_the_one_that_a_command_calls_with_its_token() throws IOException {
      assertThat(asked("listen=0.0.0.0:6000\nadmin-token=0123456789abcdef"))
          .containsExactly("http://localhost:6000", "0123456789abcdef", "");
      assertThat(asked("listen=127.0.0.1:0\nadmin-token-file=/some/file"))
          .containsExactly("http://127.0.0.1:5337", "", "/some/file");
    }

    @Test
    void lends_its_store_to_no_benchmark() throws IOException {
      Map<String, String> environment =
          Map.of("FEEDBRIDGE_STORE", "jdbc:postgresql://db.example/live");
      CommandLine line =
          new CommandLine(CommandSpec.create())
              .addSubcommand(BenchCommand.withParts(false))
              .setDefaultValueProvider(
                  new Defaults(environment, ConfigFile.namedBy(new String[0], environment)));
      CommandSpec bench = line.parseArgs("bench").subcommand().commandSpec();

      assertThat(bench.findOption("--store").<Object>getValue()).isIn(null, "");
    }

    @Test
    void with_a_certificate_is_called_by_the_name_in_it() throws IOException {
      assertThat(asked("tls-cert=/cert\nlisten=0.0.0.0:443\npublic-url=https://hub.example"))
          .startsWith("https://hub.example");
      assertThat(asked("tls-cert=/cert\nlisten=127.0.0.1:443")).startsWith("https://127.0.0.1:443");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--gateway=http://other.example", "--gateway http://other.example"})
    void does_not_lend_its_token_to_another_gateway(String other) throws IOException {
      assertThat(asked("admin-token=0123456789abcdef", other.split(" ", -1)))
          .containsExactly("http://other.example", "", "");
    }

    @Test
    void is_called_with_the_token_that_the_caller_names() throws IOException {
      assertThat(asked("admin-token-file=/some/file", "--token", "mine"))
          .containsExactly("http://127.0.0.1:5337", "mine", "");
    }
  }

  @Nested
  class Precedence {

    private final Map<String, String> environment = Map.of("FEEDBRIDGE_POLL_MIN", "environment");

    private String pollMin(Map<String, String> variables, String... args) {
      Run run = run(variables, args);
      assertThat(run.code).isEqualTo(USAGE);
      return run.err;
    }

    @Test
    void the_command_line_wins_over_environment_and_file() throws IOException {
      assertThat(
              pollMin(environment, "serve", "--config", file("poll-min=file"), "--poll-min=flag"))
          .contains("--poll-min: 'flag'");
    }

    @Test
    void the_environment_wins_over_the_file() throws IOException {
      assertThat(pollMin(environment, "serve", "--config=" + file("poll-min=file")))
          .contains("--poll-min: 'environment'");
    }

    @Test
    void the_file_wins_over_the_default() throws IOException {
      assertThat(pollMin(Map.of(), "serve", "--config=" + file("poll-min = file ")))
          .contains("--poll-min: 'file'");
    }

    @Test
    void the_default_stands_where_nothing_is_said() {
      CommandLine commandLine = commandLine(Map.of());
      OptionSpec option =
          commandLine.parseArgs("serve").subcommand().commandSpec().findOption("--poll-min");
      assertThat(option.<String>getValue()).isEqualTo("60s");
    }

    @Test
    void the_environment_may_name_the_file_and_the_command_line_another() throws IOException {
      Map<String, String> named = Map.of("FEEDBRIDGE_CONFIG", file("poll-min=file"));
      assertThat(pollMin(named, "serve")).contains("--poll-min: 'file'");
      Path other = Files.writeString(folder.resolve("other"), "poll-min=other");
      assertThat(pollMin(named, "serve", "--config", other.toString()))
          .contains("--poll-min: 'other'");
    }

    @Test
    void help_and_version_are_asked_for_on_the_command_line_only() throws IOException {
      // FEEDBRIDGE_VERSION is what an image's build may well set.
      Map<String, String> variables =
          Map.of("FEEDBRIDGE_VERSION", "0.1.0", "FEEDBRIDGE_HELP", "true");
      assertThat(pollMin(variables, "serve", "--poll-min=flag")).startsWith("--poll-min: 'flag'");
      assertThat(pollMin(Map.of(), "serve", "--config=" + file("help=true")))
          .startsWith("--config: there is no option 'help'");
    }
  }

  @Nested
  class TheFile {

    @Test
    void that_does_not_exist_is_told() {
      String missing = folder.resolve("missing").toString();
      Run run = run(Map.of(), "serve", "--config", missing);
      assertThat(run.code).isEqualTo(USAGE);
      assertThat(run.err).startsWith("--config: '" + missing + "' cannot be read: there is no");
    }

    @Test
    void that_is_not_UTF_8_is_told() throws IOException {
      Path latin = folder.resolve("latin");
      Files.write(latin, "data=/f\u00fcr".getBytes(StandardCharsets.ISO_8859_1));
      Run run = run(Map.of(), "serve", "--config", latin.toString());
      assertThat(run.code).isEqualTo(USAGE);
      assertThat(run.err).startsWith("--config: '" + latin + "' cannot be read: it is not UTF-8");
    }

    @Test
    void that_has_a_broken_escape_is_told() throws IOException {
      Run run = run(Map.of(), "serve", "--config", file("data=\\u12"));
      assertThat(run.code).isEqualTo(USAGE);
      assertThat(run.err).startsWith("--config: ").contains("cannot be read");
    }
  }

  @Nested
  class Documentation {

    @Test
    void every_option_is_in_the_manual() throws IOException {
      String manual =
          page("operating.md")
              + page("cluster.md")
              + page("cli.md")
              + page("performance.md")
              + page("publishers.md");
      assertThat(serve().options())
          .hasSizeGreaterThan(9)
          .filteredOn(option -> !option.usageHelp() && !option.versionHelp())
          .allSatisfy(option -> assertThat(manual).contains("`" + option.longestName() + "`"));
      for (CommandSpec command : all()) {
        assertThat(command.options())
            .filteredOn(option -> !option.usageHelp() && !option.versionHelp())
            .allSatisfy(option -> assertThat(manual).contains("`" + option.longestName() + "`"));
      }
    }

    @Test
    void every_option_in_the_table_of_bounds_is_one_of_serve() throws IOException {
      assertThat(
              Pattern.compile("\\| `(--[a-z-]+)` \\|\n")
                  .matcher(page("bounds.md"))
                  .results()
                  .map(row -> row.group(1)))
          .isNotEmpty()
          .allSatisfy(option -> assertThat(serve().findOption(option)).isNotNull());
    }

    private static String page(String name) throws IOException {
      return Files.readString(Path.of("docs", name));
    }

    private List<CommandSpec> all() {
      return Stream.concat(Stream.of(serve(), backup(), normalize()), clients().stream()).toList();
    }

    @Test
    void every_client_command_says_how_it_ends_and_takes_a_gateway_and_a_token() {
      assertThat(clients())
          .allSatisfy(
              command -> {
                String help = command.commandLine().getUsageMessage();
                assertThat(help.replaceAll("\\s+", " "))
                    .contains("ends with 0", "with 2 when the arguments are wrong");
                assertThat(command.optionsMap()).containsKeys("--gateway", "--token");
              });
    }

    @Test
    void a_token_may_be_in_the_environment() {
      CommandLine ping = new CommandLine(new PingCommand());
      Map<String, String> variables = Map.of("FEEDBRIDGE_TOKEN", "from-there");
      ConfigFile none = ConfigFile.namedBy(new String[0], Map.of());
      ping.setDefaultValueProvider(new Defaults(variables, none)).parseArgs("http://a.example/");
      assertThat(ping.getCommandSpec().findOption("--token").<String>getValue())
          .isEqualTo("from-there");
    }

    @Test
    void every_option_has_a_description_in_the_help() {
      for (CommandSpec command : all()) {
        assertThat(command.options())
            .allSatisfy(option -> assertThat(option.description()).isNotEmpty());
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h"})
    void the_help_names_every_option_and_ends_with_0(String flag) {
      Run run = run(Map.of(), "serve", flag);
      assertThat(run.code).isZero();
      assertThat(serve().options())
          .allSatisfy(option -> assertThat(run.out).contains(option.longestName()));
    }
  }
}
