package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.PreparedStore;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many feeds of one host, as every platform has them, with the jar. */
class ManyFeedsIT {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int PINGED = 60;
  private static final int OVERDUE = 300;
  private static final int NEW = 100;
  private static final int AT_ONCE = 50;

  @TempDir Path data;

  @Test
  void feeds_that_are_pinged_together_wait_for_no_pause_beside_300_polls_of_their_host() {
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      prepare(origin, subscriber);
      try (GatewayProcess gateway =
          GatewayProcess.start(data, FreePort.next(), "--host-pause=10m", "--ping-quiet=0")) {
        for (int i = 0; i < PINGED; i++) {
          origin.rss("pinged" + i, "", "new");
        }
        IntStream.range(0, PINGED)
            .mapToObj(i -> gateway.formAsync("/ping", "url", origin.url("pinged" + i)))
            .toList()
            .forEach(CompletableFuture::join);

        await()
            .atMost(LONG)
            .until(
                () ->
                    IntStream.range(0, PINGED)
                        .noneMatch(i -> subscriber.received("pinged" + i).isEmpty()));
        // The polls do wait: a few of them at most were made.
        assertThat(IntStream.range(0, OVERDUE).filter(i -> isFetched(origin, "overdue" + i)))
            .hasSizeLessThan(10);
      }
    }
  }

  private void prepare(FakeOrigin origin, FakeSubscriber subscriber) {
    try (PreparedStore store = new PreparedStore(data)) {
      List<String> overdue = new ArrayList<>();
      for (int i = 0; i < OVERDUE; i++) {
        overdue.add(origin.rss("overdue" + i, "", "one"));
      }
      store.overdue(overdue).forEach(feed -> store.subscribe(feed, subscriber.url("overdue")));
      List<String> pinged = new ArrayList<>();
      for (int i = 0; i < PINGED; i++) {
        pinged.add(origin.url("pinged" + i));
      }
      List<FollowedFeed> feeds = store.feeds(pinged);
      for (int i = 0; i < PINGED; i++) {
        store.subscribe(feeds.get(i), subscriber.url("pinged" + i));
      }
    }
  }

  private static boolean isFetched(FakeOrigin origin, String path) {
    return !origin.requests(path).isEmpty();
  }

  @Test
  void new_feeds_are_registered_within_10_s_alone_and_in_one_request() {
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber();
        GatewayProcess gateway = GatewayProcess.start(data, FreePort.next())) {
      for (int from = 0; from < NEW; from += AT_ONCE) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = from; i < from + AT_ONCE; i++) {
          String feed = origin.rss("alone" + i, "", "one");
          answers.add(gateway.formAsync("/pleaseNotify", registration(subscriber, List.of(feed))));
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
            .orTimeout(ANSWER.toSeconds(), TimeUnit.SECONDS)
            .join();
        assertThat(answers)
            .allSatisfy(answer -> assertThat(answer.join().body()).contains("success=\"true\""));
      }
      List<String> feeds =
          IntStream.range(0, NEW).mapToObj(i -> origin.rss("with" + i, "", "one")).toList();

      HttpResponse<String> answer =
          gateway
              .formAsync("/pleaseNotify", registration(subscriber, feeds))
              .orTimeout(ANSWER.toSeconds(), TimeUnit.SECONDS)
              .join();

      assertThat(answer.body()).contains("success=\"true\"");
      assertThat(gateway.meter("feedbridge_subscriptions_rsscloud")).isEqualTo(2 * NEW);
    }
  }

  private static String[] registration(FakeSubscriber subscriber, List<String> feeds) {
    List<String> form =
        new ArrayList<>(
            List.of(
                "notifyProcedure",
                "",
                "domain",
                "127.0.0.1",
                "port",
                Integer.toString(subscriber.port()),
                "path",
                "/handler",
                "protocol",
                "http-post"));
    for (int i = 0; i < feeds.size(); i++) {
      form.addAll(List.of("url" + (i + 1), feeds.get(i)));
    }
    return form.toArray(String[]::new);
  }
}
