package io.feedbridge.gateway.ingest.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.Served;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which hubs and clouds a fetch offers (rules S1 and S10). */
class AdvertisementsTest {

  private static final String TOPIC = "http://news.example/feed";

  private static Advertised of(String body, String finalUrl, String... links) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    FetchResult.Fresh fetch =
        new FetchResult.Fresh(
            200,
            bytes,
            Served.at(URI.create(TOPIC), null),
            FetchResult.Way.straight(finalUrl, Duration.ZERO),
            List.of(links),
            null,
            null);
    Optional<Feed> parsed;
    try {
      parsed = Optional.of(new FeedParser().parse(bytes, null, URI.create(TOPIC)));
    } catch (FeedParseException noFeed) {
      parsed = Optional.empty();
    }
    return Advertisements.of(fetch, TOPIC, TOPIC, parsed);
  }

  private static String json(String hubs, String self) {
    return "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"t\",\"feed_url\":\"%s\",\"hubs\":[%s]}"
        .formatted(self, hubs);
  }

  private static String hub(String url) {
    return "{\"type\":\"WebSub\",\"url\":\"%s\"}".formatted(url);
  }

  @Test
  void S1_headers_come_before_the_feed_and_self_is_taken_from_either() {
    String rss =
        FakeOrigin.rssOf(
            "<atom:link rel=\"hub\" href=\"http://inside.example/\"/>"
                + "<atom:link rel=\"self\" href=\"http://news.example/canonical\"/>");

    Advertised found = of(rss, TOPIC, "<https://header.example/>; rel=\"hub\"");

    assertThat(found.hubs()).startsWith("https://header.example/");
    assertThat(found.self()).isEqualTo("http://news.example/canonical");
  }

  @Test
  void S1_without_self_the_final_url_is_the_topic() {
    String rss = FakeOrigin.rssOf("");
    assertThat(of(rss, "http://cdn.example/feed?x=1#top").self())
        .isEqualTo("http://cdn.example/feed?x=1");
    assertThat(of(rss, TOPIC).self()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://hub.example/",
        "javascript:alert(1)",
        "mailto:a@b.example",
        "http://",
        "::"
      })
  void hubs_and_selves_that_are_no_web_urls_are_passed_over(String odd) {
    assertThat(of(FakeOrigin.rssOf(""), TOPIC, "<" + odd + ">; rel=hub, <" + odd + ">; rel=self"))
        .isEqualTo(Advertised.NOTHING);
    assertThat(of(json(hub(odd), odd), TOPIC)).isEqualTo(Advertised.NOTHING);
    String links =
        "<atom:link rel=\"hub\" href=\"%s\"/><atom:link rel=\"self\" href=\"%s\"/>"
            .formatted(odd, odd);
    assertThat(of(FakeOrigin.rssOf(links), TOPIC)).isEqualTo(Advertised.NOTHING);
  }

  @Test
  void hubs_of_a_json_feed_are_made_uris_and_its_feed_url_is_self() {
    Advertised found =
        of(
            json(hub("/hub?a=b|c") + "," + hub("https://b.example/a b"), "http://news.example/f"),
            TOPIC);

    assertThat(found.hubs())
        .containsExactly("http://news.example/hub?a=b%7Cc", "https://b.example/a%20b");
    assertThat(found.hubs()).allSatisfy(hub -> assertThat(URI.create(hub)).isNotNull());
    assertThat(found.self()).isEqualTo("http://news.example/f");
  }

  @Test
  void a_document_full_of_hubs_offers_twenty() {
    String many =
        IntStream.range(0, 5_000)
            .mapToObj(i -> hub("http://hub" + i + ".example/"))
            .collect(Collectors.joining(","));

    assertThat(of(json(many, TOPIC), TOPIC).hubs()).hasSize(20);
  }

  @Test
  void a_final_url_that_only_browsers_read_is_a_base_all_the_same() {
    Advertised found = of(FakeOrigin.rssOf(""), "http://cdn.example/a|b/feed", "<hub>; rel=hub");

    assertThat(found.hubs()).containsExactly("http://cdn.example/a%7Cb/hub");
  }

  @Test
  void only_clouds_that_can_be_registered_at_count() {
    String rest = "<cloud domain=\"c.example\" port=\"80\" path=\"/p\" protocol=\"http-post\"/>";
    String rpc = "<cloud domain=\"c.example\" port=\"80\" path=\"/RPC2\" protocol=\"xml-rpc\"/>";

    assertThat(of(FakeOrigin.rssOf(rest), TOPIC).clouds())
        .containsExactly(new Advertised.Cloud("http://c.example/p", "http-post"));
    assertThat(of(FakeOrigin.rssOf(rpc), TOPIC).clouds()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://news.example:8443/feed, 8443, https://news.example:8443/?rsscloud=notify",
    "https://news.example:8443/feed, 80, http://news.example/?rsscloud=notify",
    "https://other.example:8443/feed, 8443, http://news.example:8443/?rsscloud=notify",
    "http://news.example:8443/feed, 8443, http://news.example:8443/?rsscloud=notify",
    "https://news.example/feed, 443, https://news.example/?rsscloud=notify",
  })
  void a_cloud_at_the_host_and_port_of_an_https_feed_is_called_by_https(
      String finalUrl, int port, String cloud) {
    String element =
        "<cloud domain='news.example' port='%d' path='/?rsscloud=notify' protocol='http-post'/>";

    assertThat(of(FakeOrigin.rssOf(element.formatted(port)), finalUrl).clouds())
        .singleElement()
        .extracting(Advertised.Cloud::url)
        .isEqualTo(cloud);
  }
}
