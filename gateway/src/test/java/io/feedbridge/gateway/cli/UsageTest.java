package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

  private record Run(int code, String out, String err) {}

  private static synchronized Run run(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
    try {
      int code = Main.run(arguments);
      return new Run(
          code,
          outBytes.toString(StandardCharsets.UTF_8),
          errBytes.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "feeds --nonsense",
        "subscribe",
        "subscribe a b c",
        "ping",
        "token",
        "unsubscribe x",
        "receive --port many",
        "receive --port 70000",
        "backup",
        "migrate",
        "migrate --store mysql://x",
        "completion csh"
      })
  void a_mistake_in_the_arguments_is_told_in_two_lines(String line) {
    Run run = run(line.split(" ", -1));
    assertThat(run.code).isEqualTo(2);
    assertThat(run.out).isEmpty();
    List<String> told = run.err.lines().toList();
    assertThat(told).hasSize(2);
    assertThat(told.get(1)).startsWith("feedbridge").endsWith(" --help shows all options");
  }

  @Test
  void a_mistyped_command_or_option_names_the_ones_like_it() {
    assertThat(run("feedz").err).contains("did you mean feeds");
    assertThat(run("feeds", "--stat").err).contains("did you mean --state");
  }

  @Test
  void the_commands_stand_under_headings_and_each_has_one() {
    List<String> lines = run("--help").out.lines().toList();

    assertThat(lines).contains("Run a gateway:", "Its store:", "Operate a running gateway:");
    assertThat(lines.subList(lines.indexOf("Other:") + 1, lines.size()))
        .allMatch(line -> line.matches("  (bench|completion) .*|  {4,}.*|"));
  }

  @Test
  void the_completion_has_every_command() {
    Run run = run("completion", "bash");
    assertThat(run.code).isZero();
    assertThat(run.out)
        .contains("complete -F _complete_feedbridge")
        .contains("unsubscribe", "subscriptions", "receive", "--to");
  }

  @Test
  void the_completion_for_fish_has_every_command_and_option_with_its_first_sentence() {
    Run run = run("completion", "fish");
    assertThat(run.code).isZero();
    assertThat(run.out.lines())
        .allMatch(line -> line.matches("complete -c feedbridge( -n '.*')? .* -d '.*'"))
        .anyMatch(
            line ->
                line.startsWith(
                    "complete -c feedbridge -n '__fish_use_subcommand' -f -a serve -d 'Runs the gateway"))
        .contains(
            "complete -c feedbridge -n '__fish_seen_subcommand_from serve' -l listen -r -d 'The address"
                + " and port to serve on'")
        .anyMatch(
            line ->
                line.contains(
                    "'__fish_seen_subcommand_from user; and __fish_seen_subcommand_from add' -l"
                        + " rights -r"));
  }
}
