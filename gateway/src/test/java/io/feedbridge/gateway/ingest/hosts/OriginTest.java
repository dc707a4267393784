package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which machine a URL is fetched from. */
class OriginTest {

  @ParameterizedTest
  @CsvSource({
    "http://A.example/feed, a.example, a.example",
    "http://a.example:8080/feed, a.example, a.example:8080",
    "https://a.example.?q, a.example, a.example.",
    "http://user:pw@a.example:81#f, a.example, user:pw@a.example:81",
    "http://[::1]:8080/, [::1], [::1]:8080",
    "http://[2001:db8::1]/, [2001:db8::1], [2001:db8::1]",
    "http://127.0.0.1:1, 127.0.0.1, 127.0.0.1:1",
  })
  void the_host_is_the_machine_and_the_authority_is_the_server(
      String url, String host, String authority) {
    assertThat(Origin.of(url)).isEqualTo(new Origin(host, authority));
  }
}
