package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What people are told of a feed. */
class ExplainCommandTest {

  private final FakeOrigin origin = new FakeOrigin();
  private final StringWriter out = new StringWriter();

  @AfterEach
  void stop() {
    origin.close();
  }

  private int run(String... args) {
    return new CommandLine(new ExplainCommand(Clock.systemUTC()))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(args);
  }

  @Test
  void a_person_learns_what_is_found_what_is_chosen_and_why() {
    String hub = "<atom:link rel=\"hub\" href=\"https://hub.example/\"/>";
    String url = origin.rss("feed.xml", "<ttl>120</ttl>" + hub, "one");

    assertThat(run(origin.redirect("old.xml", 302, url))).isZero();

    assertThat(out.toString().lines().map(String::strip))
        .contains(
            "redirect    302 to " + url + ", which does not move the feed",
            "found       a feed, \"News\", 1 entry",
            "ttl         2 h 0 min",
            "ways        1. WebSub, hub https://hub.example/",
            "2. polling",
            "choice      WebSub, hub https://hub.example/")
        .anyMatch(line -> line.startsWith("because "));
  }

  @Test
  void json_is_what_the_API_answers() {
    assertThat(run("--json", origin.rss("feed.xml", "", "one"))).isZero();

    assertThat(out.toString()).startsWith("{\"url\":").contains("\"choice\":{\"kind\":\"poll\"");
  }

  @Test
  void a_feed_that_cannot_be_had_ends_with_1_and_what_is_no_URL_with_2() {
    assertThat(run(origin.url("none.xml"))).isEqualTo(1);
    assertThat(out.toString()).contains("problem     404");
    assertThat(run(origin.redirect("old.xml", 302, origin.url("none.xml")))).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "redirect    302 to " + origin.url("none.xml") + ", which does not move the feed");
    assertThat(run("news")).isEqualTo(2);
    assertThat(out.toString())
        .contains("'news' cannot be followed: it must be an absolute http or https URL");
  }
}
