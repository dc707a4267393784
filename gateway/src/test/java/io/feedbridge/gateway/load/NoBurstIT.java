package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.netty.handler.codec.http.FullHttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that starts after days does not fall upon those whom it has not visited. */
@Tag("alone")
class NoBurstIT {

  private static final int FEEDS = 2_000;
  private static final int FOLLOWINGS = 500;
  private static final int VERIFICATIONS = 1_000;
  private static final int CALLBACK_HOSTS = 20;

  /** Twice what the gateway means to do, since on a busy machine one second's work may be late. */
  private static final int POLLS_PER_SECOND = 400;

  /** The gateway's bounds. */
  private static final int RENEWALS_UNDER_WAY = 64;

  private static final int VERIFICATIONS_UNDER_WAY = 256;
  private static final int CONNECTIONS_PER_HOST = 32;

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** So that requests under way at once show. */
  private static final Manner SLOW = Manner.after(Duration.ofMillis(300));

  private final Rhythm polls = new Rhythm();
  private final Rhythm renewals = new Rhythm();
  private final Rhythm questions = new Rhythm();
  private final LocalHosts hub =
      new LocalHosts(
          1,
          (host, request) -> {
            renewals.beat();
            return Answer.status(202);
          });
  private final LocalHosts callbacks = new LocalHosts(1, new Callbacks());
  private final Origin origin = new Origin(path -> polls.beat());
  @TempDir Path data;

  private final class Callbacks implements LocalHosts.Handler {
    @Override
    public Answer handle(LocalHost host, FullHttpRequest request) {
      return Answer.TAKEN;
    }

    @Override
    public void confirming(LocalHost host, String uri) {
      questions.beat();
    }
  }

  @AfterEach
  void end() {
    hub.close();
    callbacks.close();
    origin.close();
  }

  private static List<String> numbered(int count, String prefix) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i + ".xml").toList();
  }

  @Test
  void a_start_after_three_days_does_not_burst() {
    LocalHost hubHost = hub.listen("127.0.4.1");
    List<LocalHost> callbackHosts = callbacks.listen(5, CALLBACK_HOSTS);
    List<String> overdue = new ArrayList<>();
    numbered(FEEDS, "overdue-").forEach(path -> overdue.add(origin.feed(path)));
    try (PreparedStore store = new PreparedStore(data)) {
      List<FollowedFeed> feeds = store.overdue(overdue);
      List<FollowedFeed> followed =
          store.followed(numbered(FOLLOWINGS, origin.url("followed-")), hubHost.url("hub"));
      // What nobody subscribes to is let go of.
      feeds.forEach(feed -> store.subscribe(feed, callbackHosts.get(0).url("active")));
      followed.forEach(feed -> store.subscribe(feed, callbackHosts.get(0).url("active")));
      for (int i = 0; i < VERIFICATIONS; i++) {
        store.request(feeds.get(i), callbackHosts.get(i % CALLBACK_HOSTS).url("pending-" + i));
      }
    }
    hubHost.manner(SLOW);
    callbackHosts.forEach(host -> host.confirmation(SLOW));

    try (GatewayProcess gateway =
        GatewayProcess.start(data, FreePort.next(), "--poll-min=12h", "--host-pause=0")) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  polls.count() >= overdue.size()
                      && questions.count() >= VERIFICATIONS
                      && renewals.count() >= 2 * RENEWALS_UNDER_WAY);
      int asked = callbackHosts.stream().mapToInt(LocalHost::most).max().orElseThrow();
      System.out.printf(
          "[no burst] in any second at most: %d polls, %d renewals, %d questions;"
              + " under way at most: %d renewals, %d questions, %d of them at one host%n",
          polls.mostWithin(SECOND),
          renewals.mostWithin(SECOND),
          questions.mostWithin(SECOND),
          hubHost.most(),
          callbacks.most(),
          asked);
      assertThat(gateway.meter("feedbridge_feeds")).isEqualTo(FEEDS + FOLLOWINGS);
      assertThat(polls.mostWithin(SECOND)).as("polls").isLessThanOrEqualTo(POLLS_PER_SECOND);
      assertThat(hubHost.most()).as("renewals under way").isLessThanOrEqualTo(RENEWALS_UNDER_WAY);
      assertThat(asked).as("questions at one host").isLessThanOrEqualTo(CONNECTIONS_PER_HOST);
      assertThat(callbacks.most()).as("questions").isLessThanOrEqualTo(VERIFICATIONS_UNDER_WAY);
    }
  }
}
