package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The fields by which servers say how many requests are left. */
class RateLimitTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  private static RateLimit read(Map<String, String> fields) {
    return RateLimit.of(
        name -> {
          String value = fields.get(name.toLowerCase(Locale.ROOT));
          return value == null ? List.of() : List.of(value);
        },
        NOW);
  }

  private static RateLimit limit(long remaining, long seconds) {
    return new RateLimit(remaining, Duration.ofSeconds(seconds));
  }

  @Test
  void an_answer_without_fields_has_no_limit() {
    assertThat(read(Map.of())).isEqualTo(RateLimit.NONE);
  }

  @Test
  void Reddit_counts_in_decimals_and_seconds() {
    assertThat(read(Map.of("x-ratelimit-remaining", "57.0", "x-ratelimit-reset", "350")))
        .isEqualTo(limit(57, 350));
  }

  @Test
  void a_reset_may_be_a_time() {
    String seconds = String.valueOf(NOW.getEpochSecond() + 90);
    assertThat(read(Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", seconds)))
        .isEqualTo(limit(0, 90));
    String millis = String.valueOf(NOW.toEpochMilli() + 90_000);
    assertThat(read(Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", millis)))
        .isEqualTo(limit(0, 90));
    String past = String.valueOf(NOW.getEpochSecond() - 90);
    assertThat(read(Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", past)))
        .isEqualTo(limit(0, 0));
  }

  @Test
  void the_fields_of_the_drafts_are_read() {
    assertThat(read(Map.of("ratelimit-remaining", "3", "ratelimit-reset", "7")))
        .isEqualTo(limit(3, 7));
    assertThat(read(Map.of("ratelimit", "limit=100, remaining=50, reset=30")))
        .isEqualTo(limit(50, 30));
    assertThat(read(Map.of("ratelimit", "\"default\";r=50;t=30"))).isEqualTo(limit(50, 30));
  }

  @Test
  void the_tightest_limit_counts() {
    assertThat(read(Map.of("ratelimit", "\"burst\";r=100;t=60, \"day\";r=2;t=3600")))
        .isEqualTo(limit(2, 3_600));
    assertThat(
            read(
                Map.of(
                    "x-ratelimit-remaining", "5",
                    "x-ratelimit-reset", "10",
                    "ratelimit", "\"default\";r=1;t=30")))
        .isEqualTo(limit(1, 30));
  }

  @Test
  void text_that_is_no_number_is_no_limit() {
    assertThat(read(Map.of("x-ratelimit-remaining", "-1", "x-ratelimit-reset", "soon")))
        .isEqualTo(RateLimit.NONE);
    assertThat(read(Map.of("ratelimit", ";;;,,,==\"\";r=;t=x"))).isEqualTo(RateLimit.NONE);
    assertThat(read(Map.of("x-ratelimit-remaining", "9".repeat(40)))).isEqualTo(RateLimit.NONE);
    assertThat(read(Map.of("ratelimit", "\"a\";r=1;t=2,".repeat(100_000)))).isEqualTo(limit(1, 2));
  }
}
