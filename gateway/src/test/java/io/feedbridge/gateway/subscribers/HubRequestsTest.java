package io.feedbridge.gateway.subscribers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.HubRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that want to be verified before they are answered (rule H2, PuSH 0.3). */
class HubRequestsTest {

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest().startPolls().startVerifier();
    topic = origin.rss("feed.xml", "", "one");
  }

  @AfterEach
  void stop() {
    bench.close();
    subscriber.close();
    origin.close();
  }

  private CompletableFuture<Optional<String>> subscribeNow(String path) {
    try {
      return bench
          .requests()
          .subscribeNow(
              (HubRequest.Subscribe)
                  HubRequest.parse(
                      Map.of(
                          "hub.mode", List.of("subscribe"),
                          "hub.topic", List.of(topic),
                          "hub.callback", List.of(subscriber.url(path)),
                          "hub.verify", List.of("sync"))),
              Sponsor.NOBODY,
              GatewayPath.NONE);
    } catch (BadHubRequestException e) {
      throw new AssertionError(e);
    }
  }

  private String firstChallenge() {
    return subscriber.asked("one").get(0).query().getOrDefault("hub.challenge", List.of()).get(0);
  }

  @Test
  void H2_a_callback_that_takes_too_long_leaves_nothing_of_the_request() {
    CompletableFuture<Response> late = new CompletableFuture<>();
    subscriber.onQuestion("one", request -> late);
    CompletableFuture<Optional<String>> answer = subscribeNow("one");
    bench.until(() -> subscriber.asked("one").size() == 1);
    assertThat(answer).isNotDone();

    bench.timer().advance(HubRequests.SYNC_WAIT);

    assertThat(answer.join()).hasValueSatisfying(why -> assertThat(why).contains("too long"));
    assertThat(bench.store().subscriptions().due(bench.timer().now(), Set.of(), 1)).isEmpty();
    late.complete(Response.text(200, firstChallenge()));
    bench.until(() -> bench.client().inFlight() == 0);
    assertThat(bench.store().subscriptions().ofFeed(bench.feed(topic).id(), 0, 1)).isEmpty();
  }

  @Test
  void H2_L7_of_two_callers_with_one_callback_the_older_is_told_that_it_was_replaced() {
    CompletableFuture<Response> first = new CompletableFuture<>();
    subscriber.onQuestion(
        "one",
        request -> subscriber.asked("one").size() == 1 ? first : FakeSubscriber.confirm(request));
    CompletableFuture<Optional<String>> older = subscribeNow("one");
    bench.until(() -> subscriber.asked("one").size() == 1);

    assertThat(subscribeNow("one").join()).isEmpty();
    first.complete(Response.text(200, firstChallenge()));

    assertThat(older.join()).hasValueSatisfying(why -> assertThat(why).contains("newer request"));
  }

  @Test
  void H2_callers_that_wait_are_bounded() {
    Outcomes outcomes = new Outcomes();
    for (int i = 1; i < Outcomes.MAX_WAITING; i++) {
      outcomes.expect(topic, "https://subscriber.example/" + i);
    }
    Outcomes.Waiter last = outcomes.expect(topic, "https://subscriber.example/");

    assertThatThrownBy(() -> outcomes.expect(topic, "https://subscriber.example/"))
        .isInstanceOf(RejectedExecutionException.class);
    last.close();
    last.close();
    outcomes.expect(topic, "https://subscriber.example/");
    assertThat(outcomes.waiting()).isEqualTo(Outcomes.MAX_WAITING);
  }
}
