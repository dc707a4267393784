package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts that one operator answers for are one site. */
class SiteTest {

  @ParameterizedTest
  @CsvSource({
    "https://www.reddit.com/r/java/.rss, reddit.com",
    "https://old.reddit.com:443/.rss, reddit.com",
    "https://REDDIT.com./.rss, reddit.com",
    "https://staff.tumblr.com/rss, tumblr.com",
    "https://news.bbc.co.uk/rss, bbc.co.uk",
    "https://one.blogspot.com/feed, one.blogspot.com",
    "https://one.github.io/feed, one.github.io",
    "https://user:word@a.b.example.org/feed, example.org",
    "https://xn--bcher-kva.example.de/feed, example.de",
  })
  void a_host_belongs_to_its_registrable_domain(String url, String site) {
    assertThat(Site.of(Origin.of(url)).name()).isEqualTo(site);
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8080/feed, 127.0.0.1:8080",
    "http://127.0.0.1/feed, 127.0.0.1",
    "http://[2001:db8::1]:8080/feed, [2001:db8::1]:8080",
    "http://me@localhost:8080/feed, localhost:8080",
    "http://intranet/feed, intranet",
    "http://co.uk/feed, co.uk",
    "http://.../feed, ...",
    "http://a..b/feed, a..b",
    "http://nothing.invalidtld/feed, nothing.invalidtld",
  })
  void a_host_without_one_is_a_site_by_its_authority(String url, String site) {
    assertThat(Site.of(Origin.of(url)).name()).isEqualTo(site);
  }

  @org.junit.jupiter.api.Test
  void a_long_name_is_a_site() {
    String host = "a.".repeat(500) + "example";
    assertThat(Site.of(Origin.of("http://" + host + "/feed")).name()).isEqualTo(host);
  }
}
