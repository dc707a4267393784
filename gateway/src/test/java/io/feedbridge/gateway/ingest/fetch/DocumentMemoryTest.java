package io.feedbridge.gateway.ingest.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that documents take has a bound, whatever is fetched at once. */
class DocumentMemoryTest {

  private static final int LONGEST = Fetcher.MAX_BODY;

  @Nested
  class Held {

    private final DocumentMemory documents = new DocumentMemory();

    private List<DocumentMemory.Held> allOf(int bytes) {
      List<DocumentMemory.Held> all = new ArrayList<>();
      DocumentMemory.Held next = documents.hold();
      while (next.take(bytes)) {
        all.add(next);
        next = documents.hold();
      }
      return all;
    }

    @Test
    void documents_have_a_bound_together_and_make_room_when_they_are_let_go_of() {
      List<DocumentMemory.Held> longOnes = allOf(LONGEST);

      assertThat(longOnes).hasSize(3);
      allOf(DocumentMemory.USUAL);
      assertThat(documents.heldBytes())
          .isBetween(LONGEST * 3, DocumentMemory.HELD + DocumentMemory.HELD_BEYOND);
      longOnes.get(0).letGo();
      longOnes.get(0).letGo();
      assertThat(documents.hold().take(LONGEST - DocumentMemory.USUAL)).isTrue();
      assertThat(documents.hold().take(LONGEST - DocumentMemory.USUAL)).isFalse();
    }

    @Test
    void documents_that_are_long_leave_room_for_those_of_the_usual_size() {
      allOf(LONGEST);

      assertThat(allOf(DocumentMemory.USUAL)).hasSizeGreaterThan(100);
    }

    @Test
    void documents_grow_as_they_come_and_those_that_find_no_room_keep_what_they_have() {
      DocumentMemory.Held growing = documents.hold();
      assertThat(growing.take(1_000)).isTrue();
      allOf(LONGEST);
      assertThat(growing.take(DocumentMemory.USUAL - 1_000)).isTrue();
      assertThat(growing.take(DocumentMemory.HELD_BEYOND)).isFalse();

      growing.letGo();

      assertThat(documents.heldBytes()).isEqualTo(3 * LONGEST);
      assertThat(growing.take(1)).as("after it was let go of").isFalse();
    }
  }

  @Nested
  class Digested {

    private final DocumentMemory documents = new DocumentMemory();
    private final List<String> begun = new ArrayList<>();

    private DocumentMemory.Held digest(String name, int bytes) {
      DocumentMemory.Held held = documents.hold();
      held.whenDigestible(bytes, () -> begun.add(name));
      return held;
    }

    @Test
    void long_documents_are_a_few_at_once_in_their_order_and_usual_ones_pass_them_by() {
      DocumentMemory.Held longest = digest("longest", LONGEST);
      digest("half", LONGEST / 2);
      digest("other half", LONGEST / 2);
      digest("one more", DocumentMemory.USUAL + 1);
      digest("usual", DocumentMemory.USUAL);
      assertThat(begun).containsExactly("longest", "usual");

      longest.letGo();

      assertThat(begun).containsExactly("longest", "usual", "half", "other half");
    }

    @Test
    void a_long_document_that_is_let_go_of_waits_no_more() {
      DocumentMemory.Held first = digest("first", LONGEST);
      DocumentMemory.Held second = digest("second", LONGEST);
      digest("third", LONGEST);

      second.letGo();
      first.letGo();

      assertThat(begun).containsExactly("first", "third");
    }
  }

  @Nested
  class A_gateway {

    @TempDir Path data;
    private final FakeOrigin origin = new FakeOrigin();
    private StageBench bench;

    @BeforeEach
    void start() {
      bench = StageBench.on(data).startIngest().startPolls();
    }

    @AfterEach
    void stop() {
      bench.close();
      origin.close();
    }

    private static String filler() {
      return "<copyright>" + "c".repeat(1 << 20) + "</copyright>";
    }

    @Test
    void that_holds_too_much_fetches_a_long_document_later_and_blames_nobody() {
      DocumentMemory documents = bench.fetcher().documents();
      DocumentMemory.Held others = documents.hold();
      assertThat(others.take(DocumentMemory.HELD_BEYOND)).isTrue();
      String topic = origin.rss("long.xml", filler(), "one");
      bench.light(bench.subscribed(topic, Format.ATOM), Via.PING);
      bench.untilIdle();
      assertThat(bench.feed(topic).hasBaseline()).isFalse();
      assertThat(bench.feed(topic).fetched().failures()).isZero();

      String usual = origin.rss("usual.xml", "", "one");
      assertThat(bench.followed(usual).state()).isEqualTo(FeedState.ACTIVE);

      others.letGo();
      bench.timer().advance(Ingest.NO_ROOM_PAUSE.multipliedBy(2));
      bench.until(() -> bench.feed(topic).hasBaseline());
      bench.until(() -> documents.heldBytes() == 0);
    }

    @Test
    void digests_long_deliveries_and_gives_back_all_that_they_took() {
      DocumentMemory documents = bench.fetcher().documents();
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      DocumentMemory.Held others = documents.hold();
      others.whenDigestible(LONGEST, () -> {});

      bench.fat(feed, "application/rss+xml", FakeOrigin.rssOf(filler(), "two", "one"));
      bench.until(() -> documents.heldBytes() > DocumentMemory.USUAL);
      assertThat(bench.news(topic)).isEmpty();
      others.letGo();

      bench.untilIdle();
      assertThat(bench.news(topic)).containsExactly("two");
      bench.until(() -> documents.heldBytes() == 0);
    }
  }
}
