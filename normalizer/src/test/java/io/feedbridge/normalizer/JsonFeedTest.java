package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class JsonFeedTest {
  private final Feed feed = Fixtures.feed("feed.json");

  @Test
  void the_feed_has_its_self_site_icon_hub_and_author() {
    assertThat(feed.id()).isEqualTo("https://weather.example/feed.json");
    assertThat(feed.permalink()).isEqualTo("https://weather.example/");
    assertThat(feed.hints().hubs()).containsExactly("https://hub.example/");
    assertThat(feed.links())
        .extracting(Link::rel)
        .containsExactly("alternate", "self", "picture", "hub");
    assertThat(feed.authors())
        .extracting(Author::uri)
        .containsExactly("https://harbour.example/wendy");
  }

  @Test
  void hubs_are_of_WebSub_or_of_rssCloud() throws FeedParseException {
    Hints hints =
        Fixtures.parse(
                "{\"version\":\"https://jsonfeed.org/version/1.1\",\"hubs\":["
                    + "{\"type\":\"WebSub\",\"url\":\"https://hub.example/\"},"
                    + "{\"type\":\"PubSubHubbub\",\"url\":\"/hub\"},"
                    + "{\"type\":\"rssCloud\",\"url\":\"http://cloud.example:5337/notify?a=b\"},"
                    + "{\"type\":\"rssCloud\",\"url\":\"mailto:x\"},"
                    + "{\"type\":\"other\",\"url\":\"https://other.example/\"}]}")
            .hints();
    assertThat(hints.hubs()).containsExactly("https://hub.example/", "https://harbour.example/hub");
    assertThat(hints.clouds())
        .containsExactly(new Hints.Cloud("cloud.example", 5337, "/notify?a=b", "", "http-post"));
  }

  @Test
  void an_item_is_an_entry() {
    Entry rain = feed.entries().get(0);
    assertThat(rain.id()).isEqualTo("w1");
    assertThat(rain.content()).isEqualTo(Content.html("<p>Wet</p>"));
    assertThat(rain.summary()).isEqualTo(Content.text("Wet."));
    assertThat(rain.published()).isEqualTo(Instant.parse("2026-03-01T09:00:00Z"));
    assertThat(rain.updated()).isEqualTo(Instant.parse("2026-03-01T11:00:00Z"));
    assertThat(rain.categories()).containsExactly("rain", "more rain");
    assertThat(rain.links())
        .contains(new Link("enclosure", "https://harbour.example/w1.mp3", "audio/mpeg", null, 12L));
  }

  @Test
  void a_number_is_taken_for_an_id_and_text_stays_text() {
    Entry sun = feed.entries().get(1);
    assertThat(sun.id()).isEqualTo("2");
    assertThat(sun.content()).isEqualTo(Content.text("Sun & <wind>"));
    assertThat(sun.language()).isEqualTo("cy");
  }

  @Test
  void other_JSON_is_no_feed() {
    for (String other :
        List.of("{}", "{\"version\":1}", "{\"version\":\"2\",\"items\":[]}", "{x")) {
      assertThatThrownBy(() -> Fixtures.parse(other))
          .asInstanceOf(InstanceOfAssertFactories.type(FeedParseException.class))
          .returns(true, FeedParseException::notAFeed);
    }
  }

  @Test
  void a_broken_JSON_Feed_is_broken_with_line_and_column() {
    assertThatThrownBy(
            () -> Fixtures.parse("{\"version\":\"https://jsonfeed.org/version/1\",\n\"items\":[}"))
        .asInstanceOf(InstanceOfAssertFactories.type(FeedParseException.class))
        .returns(FeedParseException.Kind.BROKEN, FeedParseException::kind)
        .returns(2, FeedParseException::line);
  }

  @Test
  void half_surrogates_are_dropped() throws FeedParseException {
    Feed half =
        Fixtures.parse(
            "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"a\\ud800b\",\"items\":[]}");
    assertThat(half.title()).isEqualTo("ab");
  }

  @Test
  void a_version_in_any_spelling_makes_a_feed() throws FeedParseException {
    for (String version :
        List.of(
            "1",
            "\"1.0\"",
            "1.1",
            "\"http://jsonfeed.org/version/1\"",
            "\"HTTPS://JSONFEED.org/version/1.1\"")) {
      Feed feed = Fixtures.parse("{\"version\":" + version + ",\"items\":[{\"id\":1}]}");
      assertThat(feed.entries()).as(version).extracting(Entry::id).containsExactly("1");
    }
  }

  @Test
  void JSON_with_items_and_without_a_version_is_no_feed() {
    for (String keys : List.of("", "\"title\":\"x\",\"home_page_url\":\"https://x.example/\",")) {
      assertThatThrownBy(() -> Fixtures.parse("{" + keys + "\"items\":[{\"id\":1}]}"))
          .asInstanceOf(InstanceOfAssertFactories.type(FeedParseException.class))
          .returns(true, FeedParseException::notAFeed);
    }
  }

  @Test
  void text_before_the_document_is_dropped() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "callback({\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"id\":\"1\"}]});");
    assertThat(feed.entries()).hasSize(1);
    assertThat(feed.repairs()).hasSize(1);
  }
}
