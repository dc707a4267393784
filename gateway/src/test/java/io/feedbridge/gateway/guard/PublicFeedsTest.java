package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.AddressPolicy;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublicFeedsTest {

  private static PublicFeeds under(String... patterns) {
    return new PublicFeeds(
        Policies.of(
            UrlPatterns.parse(List.of(patterns)),
            UrlPatterns.ALL,
            AddressPolicy.allowing(List.of("10.1.0.0/16"), List.of()),
            URI.create("http://127.0.0.1:5337"),
            TrackerPolicy.OPEN));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://example.org/feed.xml",
        "https://example.org/token/secret/feed.xml",
        "https://example.org/@ann.rss",
        "https://example.org/?feed=rss2&monkey=1&passage=2&author=ann",
        "https://example.org/search?q=a%20token",
        "http://10.1.2.3/feed",
        "http://127.0.0.1:5337/files/ann/rss.xml"
      })
  void a_feed_that_a_stranger_may_follow_is_public(String topic) {
    assertThat(under().contains(topic)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://ann:pass@example.org/feed.xml",
        "https://ann@example.org/feed.xml",
        "https://example.org/feed?token=1",
        "https://example.org/feed?a=b&TOKEN=1",
        "https://example.org/feed?a=b;key=1",
        "https://example.org/feed?%74oken=1",
        "https://example.org/feed?api_key=1",
        "https://example.org/feed?apiKey=1",
        "https://example.org/feed?apikey=1",
        "https://example.org/feed?auth=1",
        "https://example.org/feed?access_token=1",
        "https://example.org/feed?authtoken=1",
        "https://example.org/feed?secret=1",
        "https://example.org/feed?password=1",
        "https://example.org/feed?pass=1",
        "https://example.org/feed?sig=1",
        "https://example.org/feed?X-Amz-Signature=1",
        "https://example.org/feed?code=1",
        "https://example.org/feed?session=1",
        "https://example.org/feed?PHPSESSID=1",
        "https://example.org/feed?sid=1",
        "https://example.org/feed?private=1",
        "https://example.org/feed;jsessionid=1",
        "https://example.org/proxy?url=https%3A%2F%2Fann%3Apass%40example.net%2F",
        "https://example.org/proxy?url=https%3A%2F%2Fexample.net%2F%3Ftoken%3D1"
      })
  void a_feed_whose_url_has_a_secret_is_not_public(String topic) {
    assertThat(under().contains(topic)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://10.2.0.1/feed", "http://127.0.0.1/feed", "http://[::1]/feed"})
  void a_feed_at_an_address_that_is_not_called_is_not_public(String topic) {
    assertThat(under().contains(topic)).isFalse();
  }

  @Test
  void a_feed_that_the_operator_does_not_have_followed_is_not_public() {
    PublicFeeds feeds = under("*", "!example.org/inside/");
    assertThat(feeds.contains("https://example.org/feed")).isTrue();
    assertThat(feeds.contains("https://example.org/inside/feed")).isFalse();
    assertThat(under("example.net").contains("https://example.org/feed")).isFalse();
  }

  /** Stored feeds and subscriptions are judged anew when the text of the policies changes. */
  @Test
  void trackers_that_are_switched_off_are_refused_by_policies_with_another_text() {
    Policies open = policies(TrackerPolicy.OPEN);
    Policies off = policies(TrackerPolicy.OFF);
    String tracker = "http://127.0.0.1:5337/track?query=mars";

    assertThat(open.permitTopic(tracker)).isTrue();
    assertThat(off.permitTopic(tracker)).isFalse();
    assertThat(off.text()).isNotEqualTo(open.text());
    assertThat(policies(TrackerPolicy.LOGIN).text()).isEqualTo(open.text());
  }

  private static Policies policies(TrackerPolicy trackers) {
    return Policies.of(
        UrlPatterns.ALL,
        UrlPatterns.ALL,
        AddressPolicy.allowing(List.of(), List.of()),
        URI.create("http://127.0.0.1:5337"),
        trackers);
  }
}
