package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class CloseTest {
  private static final Duration BOUND = Duration.ofSeconds(2);

  @Test
  void pending_calls_fail_as_closed_wherever_they_are() {
    TestClient tested = new TestClient(ClientConfig.defaults().withConnectionsPerHost(2));
    tested.resolver.neverAnswer("slow.test");
    try (tested;
        RawHost host = RawHost.running(RawHost.Talk::awaitEnd);
        RawHost idle = RawHost.answering(RawHost.ok("x"))) {
      tested.fetch(idle.url("/"));
      List<CompletableFuture<Reply>> calls = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        calls.add(tested.client.send(Call.get(host.url("/"), Purpose.FETCH).build()));
        calls.add(tested.client.send(Call.get("http://slow.test/", Purpose.FETCH).build()));
      }
      await().until(() -> host.open() == 2);

      long before = System.nanoTime();
      tested.client.close();

      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(BOUND);
      assertThat(calls).allMatch(CompletableFuture::isCompletedExceptionally);
      calls.forEach(
          call -> assertThat(TestClient.failure(call).failure()).isEqualTo(Failure.CLOSED));
      assertThat(tested.client.inFlight()).isZero();
      assertThat(tested.client.connections()).isZero();
      await().until(() -> host.open() == 0 && idle.open() == 0);
    }
  }

  @Test
  void calls_after_it_fail_as_closed() {
    try (TestClient tested = new TestClient();
        RawHost host = RawHost.answering(RawHost.ok("x"))) {
      tested.client.close();
      tested.client.close();

      assertThat(tested.fetchFailure(host.url("/"))).isEqualTo(Failure.CLOSED);
      assertThat(host.accepted()).isZero();
    }
  }

  @Test
  void calls_on_an_event_loop_that_has_ended_fail_as_closed() {
    TestClient tested = new TestClient();
    tested.close();
    TestClient ended = new TestClient();
    ended.stopLoops();

    assertThat(ended.fetchFailure("http://127.0.0.1:5000/")).isEqualTo(Failure.CLOSED);
    assertThat(ended.client.inFlight()).isZero();
  }

  @Test
  void a_client_with_loops_of_its_own_leaves_no_thread() {
    AddressPolicy policy = AddressPolicy.allowing(List.of("127.0.0.0/8"), List.of());
    try (RawHost host = RawHost.answering(RawHost.ok("x"))) {
      OutboundClient client = OutboundClient.start(2, ClientConfig.defaults(), policy);
      Reply reply =
          TestClient.get(client.send(Call.get(host.at("localhost", "/"), Purpose.FETCH).build()));
      assertThat(reply.status()).isEqualTo(200);
      assertThat(loopThreads()).isNotEmpty();

      long before = System.nanoTime();
      client.close();

      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(BOUND);
      await().until(() -> loopThreads().isEmpty());
    }
  }

  private static List<String> loopThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(n -> n.startsWith("outbound-"))
        .toList();
  }

  @Test
  void it_may_be_called_from_a_calls_own_continuation() {
    try (RawHost host = RawHost.answering(RawHost.ok("x"))) {
      OutboundClient client =
          OutboundClient.start(
              1, ClientConfig.defaults(), AddressPolicy.allowing(List.of("127.0.0.1"), List.of()));

      CompletableFuture<Void> closed =
          client
              .send(Call.get(host.url("/"), Purpose.FETCH).build())
              .thenAccept(reply -> client.close());

      assertThat(closed).succeedsWithin(BOUND);
      await().until(() -> host.open() == 0);
    }
  }

  @Test
  void a_call_that_can_only_be_a_programming_error_is_refused_when_built() {
    Call.Builder get = Call.get("http://h.example/", Purpose.FETCH);

    assertThatIllegalArgumentException().isThrownBy(() -> get.header("bad name", "x"));
    assertThatIllegalArgumentException().isThrownBy(() -> get.header("X", "a\r\nInjected: b"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Call.get("x", Purpose.FETCH).redirects(6).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Call.get("x", Purpose.FETCH).timeout(Duration.ZERO).build());
    for (String own : Header.clientsOwn()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Call.get("x", Purpose.FETCH).header(own, "1").build());
    }
  }
}
