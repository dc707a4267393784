package io.feedbridge.gateway.ingest.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.Replies;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The clocks of origins beside the system clock. */
class OriginClocksTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  private final OriginClocks clocks = new OriginClocks();

  private void saw(String host, Map<String, String> headers) {
    clocks.saw(host, Replies.of(200, "http://" + host, headers, new byte[0]).headers(), NOW);
  }

  @Test
  void one_host_with_a_wrong_clock_changes_nothing() {
    saw("a.example", Map.of("Date", "Fri, 20 Nov 2026 11:59:58 GMT"));
    saw("b.example", Map.of("Date", "Thu, 01 Jan 1970 00:00:00 GMT"));
    saw("c.example", Map.of("Date", "Fri, 20 Nov 2026 12:00:01 GMT"));

    assertThat(clocks.secondsAhead()).isEqualTo(2);
  }

  @Test
  void many_answers_of_few_hosts_tell_nothing() {
    for (int i = 0; i < 10; i++) {
      saw("a.example", Map.of("Date", "Fri, 20 Nov 2026 11:00:00 GMT"));
    }
    saw("b.example", Map.of("Date", "Fri, 20 Nov 2026 11:00:00 GMT"));

    assertThat(clocks.secondsAhead()).isNaN();
  }

  @Test
  void an_answer_out_of_a_cache_or_without_a_date_does_not_count() {
    for (String host : new String[] {"a", "b", "c"}) {
      saw(host, Map.of("Date", "Fri, 20 Nov 2026 11:00:00 GMT", "Age", "3600"));
      saw(host, Map.of("Date", "yesterday"));
      saw(host, Map.of());
    }

    assertThat(clocks.secondsAhead()).isNaN();
  }
}
