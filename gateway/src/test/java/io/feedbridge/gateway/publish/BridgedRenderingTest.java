package io.feedbridge.gateway.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class BridgedRenderingTest {

  private static final String CALLER = "192.0.2.1";

  private final Deque<Runnable> oneByOne = new ArrayDeque<>();
  private final List<String> made = new ArrayList<>();

  /** The feeds below 100 have the usual size. */
  private final BridgedRendering rendering =
      new BridgedRendering(
          this::make,
          feed -> feed.id() < 100 ? BridgedRendering.USUAL : BridgedRendering.USUAL + 1,
          oneByOne::add);

  private BridgedDocument make(FollowedFeed feed, Kind kind) {
    made.add(feed.id() + kind.name());
    if (feed.topic().contains("broken")) {
      throw new IllegalStateException("broken");
    }
    return new BridgedDocument(
        new byte[0], "a/b", "\"t\"", "self", "hub", Instant.EPOCH, feed.head(), null, true);
  }

  private static FollowedFeed feed(long id, String topic) {
    return new FollowedFeed(
        id,
        topic,
        topic,
        FeedKind.FEED,
        FeedState.NEW,
        true,
        true,
        1,
        Instant.EPOCH,
        null,
        null,
        FollowedFeed.Fetched.NEVER,
        Validators.NONE,
        Advertised.NOTHING,
        PollPace.UNKNOWN);
  }

  private CompletableFuture<BridgedDocument> begin(long id, String caller) {
    return rendering.of(feed(id, "http://feed.example/"), Kind.RSS, caller).orElseThrow();
  }

  @Test
  void callers_that_want_the_same_document_wait_for_one_making() {
    CompletableFuture<BridgedDocument> one = begin(100, CALLER);
    CompletableFuture<BridgedDocument> other = begin(100, "192.0.2.2");
    assertThat(rendering.of(feed(100, "http://feed.example/"), Kind.ATOM, CALLER)).isPresent();
    oneByOne.forEach(Runnable::run);

    assertThat(one.join()).isSameAs(other.join());
    assertThat(made).containsExactly("100RSS", "100ATOM");
  }

  @Test
  void long_documents_are_made_apart_from_the_others() {
    CompletableFuture<BridgedDocument> longOne = begin(100, CALLER);
    CompletableFuture<BridgedDocument> usualOne = begin(1, CALLER);

    assertThat(usualOne).isCompleted();
    assertThat(longOne).isNotDone();
    assertThat(oneByOne).hasSize(1);
  }

  @Test
  void a_caller_has_two_long_ones_in_the_making_and_leaves_the_queue_to_others() {
    CompletableFuture<?> first = begin(100, CALLER);
    CompletableFuture<?> second = begin(101, CALLER);

    assertThat(rendering.of(feed(102, "http://feed.example/"), Kind.RSS, CALLER)).isEmpty();
    assertThat(rendering.of(feed(102, "http://feed.example/"), Kind.RSS, "192.0.2.2")).isPresent();
    assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
    // Waiting for one that is in the making costs nothing.
    assertThat(rendering.of(feed(102, "http://feed.example/"), Kind.RSS, CALLER)).isPresent();

    oneByOne.remove().run();
    assertThat(rendering.of(feed(103, "http://feed.example/"), Kind.RSS, CALLER)).isPresent();
  }

  @Test
  void a_document_that_cannot_be_made_fails_its_callers_and_is_tried_again_by_the_next() {
    FollowedFeed broken = feed(100, "http://broken.example/");
    for (int i = 0; i < 3; i++) {
      CompletableFuture<BridgedDocument> failed =
          rendering.of(broken, Kind.RSS, CALLER).orElseThrow();
      oneByOne.remove().run();
      assertThatThrownBy(failed::join).hasMessageContaining("broken");
    }
    assertThat(made).hasSize(3);
  }

  @Test
  void a_full_queue_fails_the_caller_and_takes_nothing_of_its_share() {
    BridgedRendering full =
        new BridgedRendering(
            this::make,
            feed -> BridgedRendering.USUAL + 1,
            task -> {
              throw new RejectedExecutionException();
            });
    for (int i = 0; i < 3; i++) {
      CompletableFuture<BridgedDocument> refused =
          full.of(feed(100, "http://feed.example/"), Kind.RSS, CALLER).orElseThrow();
      assertThatThrownBy(refused::join).hasCauseInstanceOf(RejectedExecutionException.class);
    }
  }
}
