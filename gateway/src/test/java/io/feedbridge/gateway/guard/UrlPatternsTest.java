package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPatternsTest {

  private static UrlPatterns patterns(String... all) {
    return UrlPatterns.parse(List.of(all));
  }

  @ParameterizedTest
  @CsvSource({
    "example.org,               http://example.org/feed",
    "example.org,               https://example.org:8443/feed",
    "example.org,               http://EXAMPLE.org./feed",
    "EXAMPLE.org,               http://example.org/",
    "bücher.example,            http://xn--bcher-kva.example/",
    "xn--bcher-kva.example,     http://bücher.example/",
    "*.example.org,             http://a.example.org/",
    "*.example.org,             http://a.b.example.org/",
    "*,                         http://anything.example/",
    "127.0.0.1,                 http://127.0.0.1:99/",
    "[2001:db8::1],             http://[2001:DB8::1]/",
    "example.org:8080,          http://example.org:8080/",
    "http://example.org,        http://example.org/feed",
    "http://example.org,        http://example.org:80/feed",
    "https://*,                 https://example.org/feed",
    "https://example.org/feeds/,https://example.org/feeds/a?b",
    "example.org/feeds/,        http://example.org:81/feeds/a",
    "https://example.org/feeds/,https://example.org/%66eeds/a",
    "https://example.org/feeds/,https://example.org/x/../feeds/a",
    "https://example.org/a?b=,  https://example.org/a?b=c",
  })
  void a_pattern_matches(String pattern, String url) {
    assertThat(patterns(pattern).permits(url)).isTrue();
    assertThat(patterns("!" + pattern).permits(url)).isFalse();
    assertThat(patterns("!" + pattern).denies(url)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "example.org,               http://example.com/",
    "example.org,               http://a.example.org/",
    "example.org,               http://example.org.evil.example/",
    "example.org,               http://notexample.org/",
    "example.org,               http://evil.example/example.org",
    "*.example.org,             http://example.org/",
    "*.example.org,             http://notexample.org/",
    "example.org:8080,          http://example.org/",
    "http://example.org,        https://example.org/",
    "http://example.org,        http://example.org:8080/",
    "https://example.org/feeds/,https://example.org/feeds",
    "https://example.org/feeds/,https://example.org/feeds/../private",
    "https://example.org/feeds/,https://example.org/feeds/%2e%2e/private",
    "https://example.org/feeds/,https://example.org/feeds/%2E./private",
    "https://example.org/feeds/,https://example.org/Feeds/",
  })
  void a_pattern_does_not_match(String pattern, String url) {
    assertThat(patterns(pattern).permits(url)).isFalse();
    assertThat(patterns("!" + pattern).permits(url)).isTrue();
    assertThat(patterns(pattern).denies(url)).isFalse();
  }

  @Test
  void what_one_denies_no_other_allows_whatever_their_order() {
    UrlPatterns some = patterns("*.example.org", "!a.example.org", "b.example");

    assertThat(some.permits("http://a.example.org/")).isFalse();
    assertThat(some.permits("http://c.example.org/")).isTrue();
    assertThat(some.permits("http://b.example/")).isTrue();
    assertThat(some.permits("http://c.example/")).isFalse();
  }

  @Test
  void without_any_that_allows_all_is_permitted_that_none_denies() {
    assertThat(patterns("!a.example").permits("http://b.example/")).isTrue();
    assertThat(UrlPatterns.ALL.permits("http://b.example/")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ftp://example.org",
        "http://",
        "*.*.org",
        "a*.org",
        "exa mple.org",
        "user@example.org",
        "example.org:0",
        "example.org:65536",
        "example.org:http",
        "[zz]",
        "http://example.org#x",
        "!!a.example"
      })
  void what_is_no_pattern_is_refused_by_name(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> patterns(text))
        .withMessageContaining("'" + text.replaceFirst("^!", "") + "'");
  }
}
