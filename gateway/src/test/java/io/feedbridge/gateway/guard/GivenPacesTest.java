package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The paces that an operator gives. */
class GivenPacesTest {

  private final GivenPaces paces =
      GivenPaces.of(List.of("Example.org=1/60s", "*.blogs.example.org=2/m", "127.0.0.1:80=10/s"));

  private String pattern(String host, String authority) {
    return paces.of(host, authority).map(GivenPaces.Given::pattern).orElse("none");
  }

  @Test
  void the_narrowest_pattern_counts() {
    assertThat(pattern("example.org", "example.org")).isEqualTo("example.org");
    assertThat(pattern("www.example.org", "www.example.org:8080")).isEqualTo("example.org");
    assertThat(pattern("a.blogs.example.org", "a.blogs.example.org"))
        .isEqualTo("*.blogs.example.org");
    assertThat(pattern("blogs.example.org", "blogs.example.org")).isEqualTo("example.org");
    assertThat(pattern("notexample.org", "notexample.org")).isEqualTo("none");
    assertThat(pattern("127.0.0.1", "127.0.0.1:80")).isEqualTo("127.0.0.1:80");
    assertThat(pattern("127.0.0.1", "127.0.0.1:81")).isEqualTo("none");
  }

  @Test
  void a_count_in_a_time_is_the_time_between_two() {
    assertThat(paces.of("a.blogs.example.org", "").orElseThrow().pace())
        .isEqualTo(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.org", "example.org=", "example.org=none", "=1/s", "a/b=1/s"})
  void text_that_is_no_pace_is_named(String text) {
    assertThatThrownBy(() -> GivenPaces.of(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "' is not PATTERN=N/DURATION");
  }
}
