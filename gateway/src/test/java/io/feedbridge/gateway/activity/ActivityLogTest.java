package io.feedbridge.gateway.activity;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.activity.Activity.Kind;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ActivityLogTest {

  private static final String FEED = "http://feed.example/?key=1";

  private final ActivityLog log =
      new ActivityLog(Clock.fixed(Instant.parse("2026-03-01T12:00:00Z"), ZoneOffset.UTC));

  @Test
  void the_newest_comes_first_whatever_its_kind() {
    log.note(Kind.PING, FEED, "", true, "first");
    log.note(Kind.FETCH, FEED, "http://feed.example/?key=1", false, "second");

    assertThat(log.newest(any -> true, 10))
        .extracting(Activity::outcome)
        .containsExactly("second", "first");
    assertThat(log.newest(any -> true, 1)).extracting(Activity::outcome).containsExactly("second");
    assertThat(log.newest(one -> one.kind() == Kind.PING, 10)).hasSize(1);
  }

  @Test
  void at_DEBUG_each_is_a_line_of_the_gateways_log_without_the_parts_that_may_be_secret() {
    Logger logger = (Logger) LoggerFactory.getLogger(ActivityLog.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    Level before = logger.getEffectiveLevel();
    try {
      logger.setLevel(Level.INFO);
      log.note(Kind.PING, FEED, "", true, "at INFO there is no line");
      logger.setLevel(Level.DEBUG);
      log.delivery(
          FEED,
          "reader.example",
          false,
          "HTTP 500\nwith a break",
          new Activity.Delivery(7, 9, "http://reader.example/callback?key=1"));
    } finally {
      logger.setLevel(before);
      logger.detachAppender(logged);
    }
    assertThat(logged.list)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.getFormattedMessage()).isEqualTo("HTTP 500 with a break");
              assertThat(line.getKeyValuePairs().toString())
                  .contains("notification", "http://feed.example/?…", "reader.example", "7", "9")
                  .doesNotContain("key=1", "callback");
            });
  }

  @Test
  void very_many_of_one_kind_do_not_push_out_another() {
    log.note(Kind.REGISTRATION, FEED, "", true, "kept");
    for (int i = 0; i < 2 * ActivityLog.KEPT; i++) {
      log.note(Kind.NOTIFICATION, FEED, "", true, "number " + i);
    }

    assertThat(log.newest(any -> true, 10_000))
        .hasSize(ActivityLog.KEPT + 1)
        .last()
        .extracting(Activity::outcome)
        .isEqualTo("kept");
  }

  @Test
  void of_a_callback_only_the_host_is_kept() {
    log.note(Kind.TEST, FEED, "https://User:secret@Reader.example:8443/in?token=1", true, "passed");

    assertThat(log.newest(any -> true, 1).get(0).peer()).isEqualTo("reader.example:8443");
  }

  @Test
  void texts_are_bounded_lines() {
    log.note(Kind.FETCH, FEED, "", false, "a\r\nb\u0000" + "c".repeat(10_000));

    assertThat(log.newest(any -> true, 1).get(0).outcome())
        .startsWith("a  b c")
        .hasSize(ActivityLog.MAX_LENGTH);
  }
}
