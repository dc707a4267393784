package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.fetch.Urls;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Feeds at URLs that are no URIs: browsers and origins read them, java.net.URI does not. */
class OddUrlsTest {

  private static final String RSS = "application/rss+xml";

  private final FakeOrigin origin = new FakeOrigin();

  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"|", "^", "{", "}", "\"", "[", "]", " ", "`", "\\", "<"})
  void a_page_leads_to_a_feed_that_redirects_to_such_a_URL(String odd) {
    String path = "we" + odd + "ird.xml";
    String page =
        origin.serve(
            "page",
            "text/html",
            "<html><head><link rel=\"alternate\" type=\"%s\" href=\"/feed.xml\"></head></html>"
                .formatted(RSS));
    origin.redirect("feed.xml", 301, origin.url(path));
    origin.rss(path, "", "one");
    FollowedFeed feed = bench.followed(page);
    assertThat(feed.url()).isEqualTo(origin.url(path));

    bench.fat(feed, RSS, FakeOrigin.rssOf("", "pushed", "one"));
    bench.untilIdle();
    assertThat(bench.news(page)).containsExactly("pushed");

    origin.rss(path, "", "pinged", "pushed", "one");
    bench.light(feed, Via.PING);
    bench.untilIdle();
    assertThat(bench.news(page)).containsExactly("pushed", "pinged");
  }

  @Test
  void a_base_is_made_of_whatever_can_be_read_of_it() {
    assertThat(Urls.base("http://h/we|ird {x}.xml", "http://h/"))
        .isEqualTo(URI.create("http://h/we%7Cird%20%7Bx%7D.xml"));
    assertThat(Urls.base("http://h:x/[", "http://h/topic")).isEqualTo(URI.create("http://h/topic"));
    assertThat(Urls.base("no url |", "none |")).isEqualTo(URI.create(""));
  }
}
