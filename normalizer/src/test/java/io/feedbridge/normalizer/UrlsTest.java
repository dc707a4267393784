package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UrlsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://h.example/a/b?q#f | c | http://h.example/a/c",
        "http://h.example/a/b?q#f | /c | http://h.example/c",
        "http://h.example/a/b?q#f | ?x=1 | http://h.example/a/b?x=1",
        "http://h.example/a/b | #top | http://h.example/a/b#top",
        "http://h.example/a/b | ../c d | http://h.example/c%20d",
        "http://h.example | c | http://h.example/c",
        "http://h.example/a/b | //o.example/c | http://o.example/c",
        "http://h.example/a/b | HTTPS://o.example/[x] | HTTPS://o.example/[x]",
        "http://h.example/a/b | http:c | http://h.example/a/c",
        "http://h.example/a/b | mailto:a@b | mailto:a@b",
        "urn:x:y | c | c",
        "http://h.example/a/b | http://[bad | http://[bad",
      })
  void RFC_3986_references_resolve(String base, String reference, String resolved) {
    assertThat(Urls.resolve(URI.create(base), reference)).isEqualTo(resolved);
  }
}
