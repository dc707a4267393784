package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The whole demo in this process. */
class DemoTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String READY = "all is ready";

  private final StringWriter shown = new StringWriter();

  private Demo demo(Duration patience, Duration breath) {
    Screen screen = new Screen(new PrintWriter(shown, true), true, false);
    return new Demo(screen, new Show.Pace(LONG, patience, breath, LONG));
  }

  private static CompletableFuture<Integer> run(Demo demo, boolean once) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return demo.run(once);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void once_every_crossing_is_shown_and_the_code_is_0() throws IOException {
    int code;
    try (Demo demo = demo(LONG, Duration.ZERO)) {
      code = demo.run(true);
    }

    assertThat(code).isZero();
    assertThat(shown.toString())
        .contains("rssCloud notification, light: “cloud.xml has changed”")
        .contains("WebSub delivery, fat: the whole of hub.xml, signed")
        .contains("plain.xml; sends no ping")
        .contains("normalized: new entry “Headline 1”")
        .contains("signed Atom, signature ok, entry “Headline 3”")
        .contains("“hub.xml has changed”; fetches it, finds “Headline 2”")
        .doesNotContain("✗");
    for (Crossing crossing : Crossing.all()) {
      assertThat(shown.toString())
          .contains("[" + crossing + "]")
          .containsPattern("  " + crossing + " +✓ +\\d+ ms");
    }
  }

  @Test
  void a_subscriber_that_gets_nothing_is_named_and_the_code_is_1() {
    try (Demo demo = demo(Duration.ofMillis(2_500), Duration.ofMillis(500))) {
      CompletableFuture<Integer> code = run(demo, true);
      await().atMost(LONG).until(() -> shown.toString().contains(READY));
      scene(demo).aggregator().close();

      assertThat(code).succeedsWithin(LONG).isEqualTo(1);
    }

    assertThat(shown.toString())
        .containsPattern("  rssCloud → WebSub +✓")
        .containsPattern("  polling → rssCloud +✗  nothing within 2 s")
        .containsPattern("\nNot received: .*polling → rssCloud");
  }

  @Test
  void a_subscriber_that_cannot_subscribe_is_told_why_and_the_code_is_1() throws IOException {
    int code;
    try (Demo demo = demo(LONG, Duration.ZERO)) {
      demo.open().aggregator().close();
      code = demo.run(true);
    }

    assertThat(code).isEqualTo(1);
    assertThat(shown.toString()).contains("The demo cannot begin: the cloud refused to register");
  }

  @Test
  void closing_it_ends_what_runs_with_0() {
    Demo demo = demo(LONG, Duration.ZERO);
    CompletableFuture<Integer> code = run(demo, false);
    await().atMost(LONG).until(() -> shown.toString().contains("Next turn in"));

    demo.close();

    assertThat(code).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(0);
    assertThat(shown.toString()).endsWith("Stopped. Its temporary folder is gone.\n");
  }

  private static Scene scene(Demo demo) {
    try {
      return demo.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void whatever_was_shown_is_legible() {
    assertThat(shown.toString()).doesNotContain("null", "\u001b");
  }
}
