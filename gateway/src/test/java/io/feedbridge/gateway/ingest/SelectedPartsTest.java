package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics that select a part of a page or of a JSON document. */
class SelectedPartsTest {

  private static final String HTML = "text/html; charset=utf-8";

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

  private String page(String price, String rest) {
    return origin.serve(
        "shop",
        HTML,
        "<html><head><title>Shop</title><link rel=alternate type=application/rss+xml href=/rss></head>"
            + "<body><p class=price>%s</p><div id=rest>%s</div></body></html>"
                .formatted(price, rest));
  }

  private void ping(FollowedFeed feed) {
    bench.light(feed, Via.PING);
    bench.untilIdle();
  }

  private List<String> titles(String topic) {
    return bench.events(topic).stream()
        .flatMap(event -> event.update().feed().entries().stream())
        .map(entry -> String.valueOf(entry.title()))
        .toList();
  }

  private String bytes(FollowedFeed feed) {
    return new String(
        bench.store().feeds().body(feed.id()).orElseThrow().bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void a_change_of_the_part_alone_is_news_as_bytes_and_as_an_entry() {
    String topic = page("9 €", "a") + "#.price";
    FollowedFeed feed = bench.followed(topic);
    assertThat(feed.kind()).isEqualTo(FeedKind.CONTENT);
    assertThat(feed.content()).isEqualTo("page");
    assertThat(feed.problem()).isNull();
    assertThat(feed.fetched().title()).isEqualTo("Shop");
    assertThat(bytes(feed)).isEqualTo("<p class=\"price\">9 €</p>");

    page("9 €", "b");
    ping(feed);
    assertThat(bench.events(topic)).isEmpty();

    page("10 €", "b");
    ping(feed);
    page("9 €", "b");
    ping(feed);

    List<Event> events = bench.events(topic);
    assertThat(titles(topic)).containsExactly("10 €", "9 €");
    assertThat(events).allMatch(event -> event.update().bytesChanged());
    assertThat(events.get(0).update().feed().entries().get(0).links().get(0).href())
        .isEqualTo(origin.url("shop"));
    assertThat(bytes(feed)).isEqualTo("<p class=\"price\">9 €</p>");
  }

  @Test
  void a_value_of_a_JSON_document_is_a_part() {
    origin.serve("data.json", "application/json", "{\"price\": 9, \"at\": 1}");
    String topic = origin.url("data.json") + "#$.price";
    FollowedFeed feed = bench.followed(topic);
    assertThat(feed.content()).isEqualTo("json");

    origin.serve("data.json", "application/json", "{\"price\": 9, \"at\": 2}");
    ping(feed);
    origin.serve("data.json", "application/json", "{\"price\":10,\"at\": 3}");
    ping(feed);

    assertThat(titles(topic)).containsExactly("10");
    assertThat(bytes(feed)).isEqualTo("10");
  }

  @Test
  void a_part_that_disappears_is_an_error_with_the_reason_and_comes_back() {
    String topic = page("9 €", "a") + "#.price";
    FollowedFeed feed = bench.followed(topic);
    origin.serve("shop", HTML, "<html><body>closed</body></html>");
    ping(feed);
    assertThat(bench.feed(topic).problem())
        .isEqualTo("the document has nothing that \".price\" selects");

    page("10 €", "a");
    ping(bench.feed(topic));
    assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
    assertThat(bench.feed(topic).problem()).isNull();
    assertThat(titles(topic)).containsExactly("10 €");
  }

  @Test
  void L14_the_page_is_fetched_once_for_all_of_its_parts_pinged_or_polled() {
    String page =
        page(
            "9 €",
            IntStream.range(0, 50).mapToObj(i -> "<i id=n" + i + ">0</i>").toList().toString());
    List<FollowedFeed> feeds =
        IntStream.range(0, 50).mapToObj(i -> bench.followed(page + "#%23n" + i)).toList();
    FollowedFeed price = bench.followed(page + "#.price");
    bench.untilIdle();
    int before = origin.requests("shop").size();

    page("9 €", IntStream.range(0, 50).mapToObj(i -> "<i id=n" + i + ">1</i>").toList().toString());
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("shop", gate);
    feeds.forEach(feed -> bench.light(feed, Via.PING));
    bench.light(price, Via.PING);
    gate.complete(null);
    bench.untilIdle();

    assertThat(origin.requests("shop")).hasSize(before + 1);
    for (FollowedFeed feed : feeds) {
      assertThat(titles(feed.topic())).containsExactly("1");
    }
    assertThat(bench.events(price.topic())).isEmpty();

    page("9 €", IntStream.range(0, 50).mapToObj(i -> "<i id=n" + i + ">2</i>").toList().toString());
    bench.light(feeds.get(7), Via.POLL);
    bench.untilIdle();
    assertThat(origin.requests("shop")).hasSize(before + 2);
    assertThat(titles(feeds.get(31).topic())).containsExactly("1", "2");
  }

  @Test
  void a_delivery_to_a_part_is_a_light_ping() {
    String topic = page("9 €", "a") + "#.price";
    FollowedFeed feed = bench.followed(topic);
    page("10 €", "a");
    bench.fat(feed, HTML, "<p class=price>11 €</p>");
    bench.untilIdle();
    assertThat(titles(topic)).containsExactly("10 €");
  }

  @Test
  void a_part_of_a_page_names_no_hub_but_the_header_may() {
    origin.serve(
        "shop",
        HTML,
        "<html><body><link rel=hub href='https://evil.example/'><p>a</p></body></html>",
        "<https://hub.example/>; rel=hub");
    FollowedFeed feed = bench.followed(origin.url("shop") + "#link, p");
    assertThat(feed.advertised().hubs()).containsExactly("https://hub.example/");
  }
}
