package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingTest {

  @Test
  void a_single_parameter_url_names_the_feed_that_changed() throws Exception {
    assertThat(Ping.parse(Forms.of("url", "http://a.example/rss.xml")).urls())
        .containsExactly("http://a.example/rss.xml");
  }

  @Test
  void several_feeds_may_be_named_each_once() throws Exception {
    assertThat(
            Ping.parse(
                    Forms.of(
                        "url2", "http://c.example/",
                        "url", "http://a.example/",
                        "url", "http://b.example/",
                        "url1", "http://a.example/"))
                .urls())
        .containsExactly("http://a.example/", "http://b.example/", "http://c.example/");
  }

  @Test
  void other_parameters_are_ignored() throws Exception {
    assertThat(Ping.parse(Forms.of("name", "x", "url", "http://a.example/")).urls()).hasSize(1);
  }

  @Test
  void a_ping_for_no_feed_is_refused() {
    for (Map<String, List<String>> form :
        List.of(Forms.of(), Forms.of("url", ""), Forms.of("feed", "http://a.example/"))) {
      assertThatExceptionOfType(BadPingException.class)
          .isThrownBy(() -> Ping.parse(form))
          .withMessageContaining("no feed is named");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.example", "ftp://a.example/", "http://u@a.example/", "http://a b/"})
  void a_ping_for_no_web_url_is_refused(String url) {
    assertThatExceptionOfType(BadPingException.class)
        .isThrownBy(() -> Ping.parse(Forms.of("url", url)))
        .withMessageContaining(url);
  }

  @Test
  void what_is_written_is_read_back() throws Exception {
    Ping ping = new Ping(List.of("http://a.example/?x=1&y=+", "https://ü.example/é"));
    assertThat(Ping.parse(Forms.decode(ping.body()))).isEqualTo(ping);
  }

  @Test
  void clients_look_for_thanks() {
    assertThat(PingResult.THANKS).isEqualTo("Thanks for the ping.");
  }
}
