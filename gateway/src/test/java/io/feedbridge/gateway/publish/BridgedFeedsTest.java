package io.feedbridge.gateway.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.publish.BridgedFeeds.Answer;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers share the threads that look up and render bridged feeds. */
class BridgedFeedsTest {

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path folder;

  /** The tasks that have a thread, or wait for one. */
  private final Deque<Runnable> threads = new ArrayDeque<>();

  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private SqliteBackend backend;
  private BridgedFeeds feeds;

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    feeds =
        new BridgedFeeds(
            backend.store(),
            URI.create("http://gateway.example"),
            BridgePolicy.FOLLOWED,
            threads::add,
            threads::add,
            timer);
  }

  @AfterEach
  void stop() {
    feeds.close();
    backend.close();
    timer.close();
  }

  private String follow(String name) {
    return follow(name, "text");
  }

  private String follow(String name, String text) {
    FollowedFeed feed =
        backend.store().feeds().follow("https://origin.example/" + name, NOW).join();
    backend
        .store()
        .feeds()
        .record(
            OutcomeBuilder.of(feed, NOW)
                .baseline()
                .body("<rss/>")
                .document("Title", OutcomeBuilder.entry("one", text))
                .build())
        .join();
    return feed.topic();
  }

  private CompletableFuture<Answer> get(String caller, String topic) {
    return feeds.get(topic, Kind.ATOM, caller, Optional::empty).toCompletableFuture();
  }

  @Test
  void a_feed_that_becomes_private_while_its_document_is_made_is_not_served() {
    String topic = follow("feed", "x".repeat(2 * BridgedRendering.USUAL));
    CompletableFuture<Answer> answer = get("reader", topic);
    threads.remove().run();
    assertThat(answer).as("the document is being made").isNotDone();

    backend.store().privateFeeds().hide(topic).join();
    threads.remove().run();

    assertThat(answer).isCompletedWithValueMatching(Answer.NotNow.class::isInstance);
  }

  @Test
  void readers_take_turns() {
    List<String> topics = IntStream.range(0, 20).mapToObj(i -> follow("feed-" + i)).toList();
    List<CompletableFuture<Answer>> attack =
        topics.stream().map(topic -> get("attacker", topic)).toList();
    CompletableFuture<Answer> other = get("other", follow("feed"));

    for (int i = 0; i < 4; i++) {
      threads.remove().run();
    }

    assertThat(other).isCompletedWithValueMatching(Answer.Found.class::isInstance);
    assertThat(attack).filteredOn(one -> !one.isDone()).hasSizeGreaterThan(10);
    while (!threads.isEmpty()) {
      threads.remove().run();
    }
    assertThat(attack).allMatch(CompletableFuture::isDone);
  }
}
