package io.feedbridge.gateway.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.World;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperateCommandsTest {

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private record Run(int code, String out, String err) {}

  private Run run(CommandLine line, String... arguments) {
    return runAt(world.gateway().url(""), line, arguments);
  }

  private Run runAt(String gateway, CommandLine line, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--gateway", gateway));
    int code =
        line.setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(all.toArray(String[]::new));
    return new Run(code, out.toString(), err.toString());
  }

  private Run run(Object command, String... arguments) {
    return run(new CommandLine(command), arguments);
  }

  @Test
  void states_and_headings_have_colours_on_a_terminal_alone() {
    world
        .gateway()
        .json(
            "POST",
            "/api/v1/feeds",
            "{\"url\":\"%s\"}".formatted(world.origin().rss("coloured.xml", "", "one")));
    String[] one = {"--q", "coloured"};
    World.until(() -> run(ListCommand.feeds(), one).out.contains("active"));
    CommandLine terminal =
        new CommandLine(ListCommand.feeds())
            .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.ON));

    String coloured = run(terminal, one).out;
    assertThat(coloured).startsWith("\u001b[1mID\u001b[").contains("\u001b[32mactive\u001b[");
    assertThat(coloured.replaceAll("\u001b\\[[0-9;]*m", ""))
        .as("the columns stay where they are")
        .isEqualTo(run(ListCommand.feeds(), one).out);
    assertThat(run(terminal, "--json").out).doesNotContain("\u001b");
  }

  @Test
  void a_check_writes_a_line_for_each_finding_and_its_code_is_the_verdict() {
    Run bare = run(new CheckCommand(), world.origin().rss("bare.xml", "", "one"));
    assertThat(bare.code).isEqualTo(1);
    assertThat(bare.out)
        .contains("OK The feed can be read", "PROBLEM The feed names no hub", "not connected")
        .contains(world.gateway().url("/check/"));

    String hub = "<atom:link rel=\"hub\" href=\"%s\"/>".formatted(world.gateway().url("/hub"));
    Run good = run(new CheckCommand(), world.origin().rss("good.xml", hub, "one"), "--json");
    assertThat(good.code).isZero();
    assertThat(good.out.lines()).hasSize(1).first().asString().contains("\"connected\"");
  }

  @Test
  void lists_are_tables_for_people_and_lines_of_JSON_for_scripts() throws Exception {
    String one = world.origin().rss("listed-1.xml", "", "a");
    String two = world.origin().rss("listed-2.xml", "", "a");
    world.subscribe(one, "listed-1");
    world.subscribe(two, "listed-2");

    Run table = run(ListCommand.subscriptions(), "--topic", one);
    assertThat(table.out.lines()).hasSize(2);
    assertThat(table.out.lines().findFirst().orElse("")).startsWith("ID").endsWith("CALLBACK");
    assertThat(table.out).contains("websub", one, world.subscriber().url("listed-1"));

    Run json = run(ListCommand.feeds(), "--json", "--q", "listed-");
    assertThat(json.code).isZero();
    List<JsonNode> feeds = new ArrayList<>();
    for (String line : json.out.lines().toList()) {
      feeds.add(new ObjectMapper().readTree(line));
    }
    assertThat(feeds).extracting(feed -> feed.path("url").asText()).containsExactly(one, two);

    Run cut = run(ListCommand.feeds(), "--limit", "1");
    assertThat(cut.out.lines()).as("headings and one").hasSize(2);
    assertThat(cut.err).isEqualToIgnoringNewLines("there are more feeds: --limit shows them");
    assertThat(run(ListCommand.webhooks()).out).isEqualToIgnoringNewLines("no webhooks");
    assertThat(run(ListCommand.feeds(), "--state", "odd").code).isEqualTo(1);
  }

  @Test
  void the_doctor_checks_the_gateway_its_disk_and_its_public_URL(@TempDir Path data) {
    String url = world.gateway().url("");

    Run well = run(new DoctorCommand(), "--data", data.toString(), "--public-url", url);
    assertThat(well.out)
        .contains("OK gateway: ", "MiB free", "A gateway answers at", "is not encrypted")
        .contains("no stranger", "compared with no other")
        .contains(" descriptors: The gateway may open ");
    Run alone = run(new DoctorCommand());
    assertThat(alone.out).contains("MiB free", "A gateway answers at " + url);
    Run json = run(new DoctorCommand(), "--json");
    assertThat(json.out.lines()).allMatch(line -> line.startsWith("{\"check\":"));
    assertThat(json.out).contains("\"result\":\"skipped\"");
  }

  @Test
  @Timeout(300)
  void the_doctor_does_not_wait_for_the_end_of_an_answer_that_has_none() {
    try (RawHost endless =
        RawHost.running(
            talk -> {
              if (talk.readHead() != null) {
                talk.send("HTTP/1.1 200 OK\r\n\r\n{");
                talk.hang();
              }
            })) {
      String url = endless.url("/").replaceFirst("/$", "");

      Run run = run(new DoctorCommand(), "--public-url", url);

      assertThat(run.code).isEqualTo(1);
      assertThat(run.out).contains("FAIL public URL: ", "did not end within 10 s");

      Run there = runAt(url, new CommandLine(new DoctorCommand()));
      assertThat(there.out).contains("FAIL gateway: ", "no whole answer came within 10 s");
    }
  }

  @Test
  void the_doctor_tells_a_certificate_that_is_not_accepted_from_no_answer(@TempDir Path files)
      throws Exception {
    Certificate own = Certificate.of(files, "ip:127.0.0.1");
    try (RawHost secure = RawHost.secure(own.server(), RawHost.always(RawHost.ok("{}")))) {
      Run run = run(new DoctorCommand(), "--public-url", secure.url("/").replaceFirst("/$", ""));

      assertThat(run.code).isEqualTo(1);
      assertThat(run.out).contains("FAIL tls: The certificate of https://", "is not accepted");
    }
  }

  @Test
  void the_doctor_ends_with_1_when_a_check_failed() {
    String elsewhere = world.origin().url("no-gateway").replace("/no-gateway", "");

    Run run = run(new DoctorCommand(), "--public-url", elsewhere);
    assertThat(run.code).isEqualTo(1);
    assertThat(run.out).contains("FAIL public URL: ", "Something has to be mended.");
    Run missing = run(new DoctorCommand(), "--data", "/no/such/directory");
    assertThat(missing.code).isEqualTo(1);
    assertThat(missing.out).contains("cannot be read");
    assertThat(run(new DoctorCommand(), "--public-url", "ftp://x").code).isEqualTo(2);
  }

  @Test
  void a_subscription_is_looked_at_retried_and_ended() {
    String feed = world.origin().rss("ended.xml", "", "a");
    world.subscribe(feed, "ended");
    String callback = world.subscriber().url("ended");
    Run listed = run(ListCommand.subscriptions(), "--callback", callback);
    String id = listed.out.lines().skip(1).findFirst().orElse("").split(" ", -1)[0];

    assertThat(run(new RetryCommand(), id).code).isZero();
    assertThat(run(new DeliveriesCommand(), id).code).isZero();
    assertThat(run(new DeliveriesCommand(), "999999").err).contains("status 404");
    assertThat(run(new DeliveriesCommand(), "../feeds").code).as("no id").isEqualTo(2);

    Run ended = run(new UnsubscribeCommand(), feed, "--to", callback);
    assertThat(ended.out).isEqualToIgnoringNewLines("ended: subscription " + id + " by websub");
    Run again = run(new UnsubscribeCommand(), feed, "--to", callback);
    assertThat(again.code).isEqualTo(1);
    assertThat(again.err).contains("has no subscription to " + feed);
  }

  @Test
  void a_token_is_shown_once_and_can_be_deleted() {
    Run made = run(TokenCommand.line(), "create", "reader", "--rights", "list,retrieve");
    assertThat(made.out.lines()).hasSize(2);
    String token = made.out.substring(made.out.lastIndexOf(' ')).strip();
    String id = made.out.lines().findFirst().orElse("").replace("made: token ", "");

    Run list = run(TokenCommand.line(), "list");
    assertThat(list.out).contains("reader", "list retrieve").doesNotContain(token);
    assertThat(run(TokenCommand.line(), "delete", id).code).isZero();
    assertThat(run(TokenCommand.line(), "delete", id).code).isEqualTo(1);
    assertThat(run(TokenCommand.line(), "create", "reader", "--rights", "all").err)
        .contains("status 400");
  }

  @Test
  void a_user_is_listed_and_removed() {
    assertThat(run(TokenCommand.line(), "create", "leaver", "--rights", "list").code).isZero();

    assertThat(run(new CommandLine(ListCommand.users())).out).contains("leaver");
    Run removed = run(new RemoveUserCommand(), "leaver");
    assertThat(removed.out).isEqualToIgnoringNewLines("removed: user leaver");
    assertThat(run(new RemoveUserCommand(), "leaver").code).isEqualTo(1);
    assertThat(run(new RemoveUserCommand(), "../x").code).as("no login").isEqualTo(2);
  }

  @Test
  void the_status_has_the_figures_of_the_gateway() throws Exception {
    world.subscribe(world.origin().rss("counted.xml", "", "a"), "counted");
    Run status = run(new StatusCommand(), "--json");
    assertThat(status.code).isZero();
    JsonNode figures = new ObjectMapper().readTree(status.out);
    assertThat(figures.path("status").asText()).isEqualTo("up");
    assertThat(figures.path("subscriptions_websub").asInt()).isPositive();
    assertThat(run(new StatusCommand()).out).startsWith("the gateway is up");
  }

  @Test
  void a_table_cuts_hostile_text_and_aligns_the_rest() {
    Table table = new Table(List.of("A", "B"));
    table.add(List.of("x\u001b[2Jy", "z"));
    table.add(List.of("long".repeat(100), "-"));
    List<String> lines = table.lines(new Paint(CommandLine.Help.Ansi.OFF));
    assertThat(lines).hasSize(3).allSatisfy(line -> assertThat(line).hasSizeLessThan(90));
    assertThat(String.join("", lines)).doesNotContain("\u001b");
    assertThat(lines.get(1).indexOf('z')).isEqualTo(lines.get(0).indexOf('B'));
  }
}
