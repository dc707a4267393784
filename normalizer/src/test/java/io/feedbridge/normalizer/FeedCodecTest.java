package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeedCodecTest {
  private final FeedCodec codec = new FeedCodec();

  @ParameterizedTest
  @ValueSource(strings = {"rss2.xml", "rss1.xml", "atom.xml", "atom03.xml", "feed.json"})
  void every_feed_comes_back_equal(String name) {
    Feed feed = Fixtures.feed(name);
    assertThat(codec.decode(codec.encode(feed))).isEqualTo(feed);
  }

  @Test
  void a_source_with_its_status_comes_back_equal() {
    Feed feed = Fixtures.feed("rss2.xml");
    Status status =
        new Status(
            "f", "t", 200, "ok", Instant.EPOCH, 60L, null, null, null, 1L, 2L, 0.5, 0.25, true);
    Feed tracked =
        feed.withEntries(
            feed.entries().stream().map(e -> e.withSource(Source.of(feed, status))).toList());
    assertThat(codec.decode(codec.encode(tracked))).isEqualTo(tracked);
  }

  @Test
  void empty_texts_and_contents_come_back_equal() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title></title><entry><title/><id>1</id>"
                + "<content/><summary type='html'> </summary></entry></feed>");
    assertThat(codec.decode(codec.encode(feed))).isEqualTo(feed);
  }

  @Test
  void absent_values_are_left_out() {
    String json = new String(codec.encode(Feed.bare("f", null)), StandardCharsets.UTF_8);
    assertThat(json).startsWith("{\"id\":\"f\"").doesNotContain("null", "title", "entries");
  }

  @Test
  void a_newer_log_with_unknown_properties_is_read() {
    String newer =
        "{\"id\":\"f\",\"future\":{\"x\":1},\"entries\":[{\"id\":\"1\",\"mood\":\"good\"}]}";
    Feed feed = codec.decode(newer.getBytes(StandardCharsets.UTF_8));
    assertThat(feed.entries()).extracting(Entry::id).containsExactly("1");
    assertThat(feed.hints()).isEqualTo(Hints.NONE);
    assertThat(feed.links()).isEqualTo(List.of());
  }

  @Test
  void a_damaged_log_is_said_to_be_one() {
    assertThatThrownBy(() -> codec.decode(new byte[] {1, 2}))
        .isInstanceOf(UncheckedIOException.class);
  }
}
