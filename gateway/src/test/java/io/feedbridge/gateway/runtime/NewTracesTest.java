package io.feedbridge.gateway.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The traces of log lines. */
class NewTracesTest {

  private final NewTraces traces = new NewTraces();

  @BeforeEach
  void start() {
    traces.start();
  }

  private String logged(Throwable failure) {
    LoggingEvent event = new LoggingEvent();
    event.setThrowableProxy(new ThrowableProxy(failure));
    return traces.convert(event);
  }

  private static Exception failure(String message, @Nullable Exception cause) {
    return new IllegalStateException(message, cause);
  }

  @Test
  void a_failure_that_comes_again_has_one_line_with_its_own_message() {
    String[] logged = new String[2];
    for (int i = 0; i < 2; i++) {
      logged[i] = logged(failure("host " + i, new IllegalArgumentException("port " + i)));
    }

    assertThat(logged[0]).contains("host 0", "port 0", "\tat ");
    assertThat(logged[1]).contains("host 1", "trace is above").doesNotContain("\tat ");
    assertThat(logged[1].lines()).hasSize(1);
  }

  @Test
  void another_place_or_cause_has_a_trace_of_its_own() {
    assertThat(logged(failure("one", null))).contains("\tat ");
    assertThat(logged(failure("another place", null))).contains("\tat ");
    for (Exception cause : List.of(new IllegalArgumentException("a"), new IOException("b"))) {
      assertThat(logged(failure("the same place", cause))).contains("\tat ");
    }
  }
}
