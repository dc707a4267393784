package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DemoFeedTest {

  private static final String URL = "http://127.0.0.1:1/feed.xml";
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private final DemoFeed feed = new DemoFeed("A feed", URL, "");

  @Test
  void its_newest_items_stand_in_it_the_newest_first() throws FeedParseException {
    for (int i = 1; i <= 12; i++) {
      feed.add("Headline " + i, NOW);
    }

    Feed parsed =
        new FeedParser()
            .parse(
                feed.current().document().getBytes(StandardCharsets.UTF_8),
                "application/rss+xml",
                URI.create(URL));

    assertThat(parsed.repairs()).isEmpty();
    assertThat(parsed.entries()).extracting(Entry::id).doesNotHaveDuplicates();
    assertThat(parsed.entries())
        .hasSize(10)
        .startsWith(parsed.entries().get(0))
        .extracting(Entry::title)
        .startsWith("Headline 12", "Headline 11")
        .endsWith("Headline 3");
  }

  @Test
  void each_item_makes_a_new_version_and_nothing_else_does() {
    feed.add("One", NOW);
    String one = feed.current().etag();

    assertThat(feed.current().etag()).isEqualTo(one);
    feed.add("Two", NOW);
    assertThat(feed.current().etag()).isNotEqualTo(one);
  }
}
