package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GivenBackPlacesTest {

  @TempDir Path data;

  /** A host that is not known has two places. */
  @Test
  void a_fetch_that_fails_before_it_is_sent_gives_its_place_back() {
    AtomicInteger failures = new AtomicInteger();
    LocalTopics own =
        url -> {
          if (url.endsWith("broken.xml")) {
            failures.incrementAndGet();
            throw new IllegalStateException("the store cannot be read");
          }
          return Optional.empty();
        };
    try (FakeOrigin origin = new FakeOrigin();
        StageBench bench = StageBench.on(data)) {
      bench.startIngest(own);
      FollowedFeed broken = bench.subscribed(origin.url("broken.xml"), Format.ATOM);
      bench.light(broken, Via.POLL);
      bench.until(
          () -> {
            bench.timer().advance(Duration.ofSeconds(1));
            return bench.feed(broken.topic()).tried();
          });
      assertThat(failures).hasValue(FailedWork.MAX_TRIES);

      FollowedFeed good = bench.followed(origin.rss("good.xml", "", "one"));

      assertThat(good.hasBaseline()).isTrue();
    }
  }
}
