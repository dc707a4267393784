package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.work.Via;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Validators go with the URL that gave them (RFC 9110 §13.1). */
class ConditionalFetchTest {

  private static final String ETAG = "\"1\"";
  private static final String DATE = "Fri, 20 Nov 2026 10:00:00 GMT";

  /** An origin whose every answer a test writes itself. */
  private final FakeSubscriber origin = new FakeSubscriber();

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

  private void redirect(String from, int status, String to) {
    answer(from, Response.empty(status).withHeader("Location", origin.url(to)));
  }

  private void answer(String path, Response response) {
    origin.onQuestion(path, request -> CompletableFuture.completedFuture(response));
  }

  /** Each resource answers 304 to the same validators, as a release's number in them makes it. */
  private void feed(String path, String... items) {
    origin.onQuestion(
        path,
        request ->
            CompletableFuture.completedFuture(
                request.header("If-None-Match").filter(ETAG::equals).isPresent()
                    ? Response.empty(304)
                    : Response.of(
                            200,
                            "application/rss+xml",
                            FakeOrigin.rssOf("", items).getBytes(StandardCharsets.UTF_8))
                        .withHeader("ETag", ETAG)
                        .withHeader("Last-Modified", DATE)));
  }

  private Request last(String path) {
    List<Request> all = origin.asked(path);
    return all.get(all.size() - 1);
  }

  private void ping(FollowedFeed feed) {
    bench.light(feed, Via.PING);
    bench.untilIdle();
  }

  @Test
  void the_target_of_another_redirect_is_not_asked_with_those_of_the_one_before() {
    redirect("a", 302, "b");
    feed("b", "one");
    feed("c", "two", "one");
    String topic = origin.url("a");
    FollowedFeed feed = bench.followed(topic);
    redirect("a", 302, "c");

    ping(feed);

    assertThat(last("c").header("If-None-Match")).isEmpty();
    assertThat(last("c").header("If-Modified-Since")).isEmpty();
    assertThat(bench.news(topic)).containsExactly("two");
    assertThat(bench.feed(topic).validators().url()).isEqualTo(origin.url("c"));
  }

  @Test
  void the_target_of_the_same_redirect_is_asked_conditionally_and_the_redirect_is_not() {
    redirect("a", 302, "b");
    feed("b", "one");
    FollowedFeed feed = bench.followed(origin.url("a"));

    ping(feed);

    assertThat(last("a").header("If-None-Match")).isEmpty();
    assertThat(last("b").header("If-None-Match")).hasValue(ETAG);
    assertThat(last("b").header("If-Modified-Since")).hasValue(DATE);
    assertThat(bench.feed(origin.url("a")).fetched().code()).isEqualTo(304);
  }

  @Test
  void a_redirect_onto_the_feed_itself_after_a_while_is_not_asked_with_what_others_gave() {
    feed("a", "one");
    FollowedFeed feed = bench.followed(origin.url("a"));
    ping(feed);
    assertThat(last("a").header("If-None-Match")).hasValue(ETAG);
    redirect("a", 301, "b");
    feed("b", "two", "one");

    ping(feed);

    assertThat(last("b").header("If-None-Match")).isEmpty();
    assertThat(bench.news(origin.url("a"))).containsExactly("two");
  }

  @Test
  void validators_of_a_store_of_an_earlier_version_go_to_the_feeds_own_URL() {
    Validators before = new Validators(ETAG, DATE, "hash");
    assertThat(before.url()).isNull();
    feed("a", "one");
    FollowedFeed feed = bench.followed(origin.url("a"));
    bench
        .store()
        .feeds()
        .record(
            io.feedbridge.gateway.store.OutcomeBuilder.of(feed, bench.timer().now())
                .validators(new Validators(ETAG, DATE, feed.validators().bodyHash()))
                .build())
        .join();

    ping(feed);

    assertThat(last("a").header("If-None-Match")).hasValue(ETAG);
  }
}
