package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransportTest {

  private static final String FEED = "https://medium.com/feed/author";

  private static List<String> hubs(String... advertised) {
    return Transport.of(new Advertised(List.of(advertised), FEED, List.of()), FEED).stream()
        .map(Transport::endpoint)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "http://medium.superfeedr.com, https://medium.superfeedr.com",
    "http://hub.example.org:80/, https://hub.example.org/",
    "http://hub.example.org/push?a=b, https://hub.example.org/push?a=b",
    "HTTP://Hub.example.org, https://Hub.example.org"
  })
  void a_hub_over_http_is_asked_by_https_first(String advertised, String first) {
    assertThat(hubs(advertised)).containsExactly(first, advertised);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://hub.example.org:8080/",
        "https://hub.example.org:80/",
        "http://[2001:db8::1]:81/"
      })
  void a_hub_at_a_port_of_its_own_is_asked_as_it_is_advertised(String hub) {
    assertThat(hubs(hub)).containsExactly(hub);
  }

  @Test
  void hubs_by_https_come_first_and_each_once() {
    assertThat(hubs("http://one.example/", "https://two.example/", "https://one.example/"))
        .containsExactly("https://one.example/", "https://two.example/", "http://one.example/");
  }

  @ParameterizedTest
  @CsvSource({
    "https://hub.example.org/, true",
    "http://hub.example.org/, false",
    "HTTPS://hub.example.org/, true",
    "http://hub.example.org/ x, false",
    "http://user@127.0.0.1/, false",
    "http://192.0.2.1/, false",
    "http://127.0.0.1.example.org/, false",
    "http://127.0.0.1:8080/hub, true",
    "http://[::1]:8080/hub, true",
    "http://localhost/hub, true"
  })
  void no_secret_is_agreed_where_others_could_read_it(String hub, boolean secret) {
    UpstreamSubscription begun =
        new Transport(UpstreamSubscription.Kind.WEBSUB, hub, FEED, List.of())
            .begin(1, new Random(1), Instant.EPOCH);

    assertThat(begun.secret() != null).isEqualTo(secret);
  }
}
