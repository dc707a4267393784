package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class PoolTest {
  /** Answers nobody before it is opened. */
  private static final class Gate implements RawHost.Script {
    private final CountDownLatch opened = new CountDownLatch(1);

    @Override
    public void talk(RawHost.Talk talk) throws IOException {
      while (talk.read() != null) {
        awaitOpen();
        talk.send(RawHost.ok("late"));
      }
    }

    void awaitOpen() {
      try {
        assertThat(opened.await(10, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void open() {
      opened.countDown();
    }
  }

  private static Call.Builder get(RawHost host) {
    return Call.get(host.url("/"), Purpose.CALLBACK);
  }

  private static List<CompletableFuture<Reply>> send(TestClient tested, RawHost host, int times) {
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      replies.add(tested.client.send(get(host).build()));
    }
    return replies;
  }

  private static void allSucceed(List<CompletableFuture<Reply>> replies) {
    replies.forEach(reply -> assertThat(TestClient.get(reply).status()).isEqualTo(200));
  }

  @Nested
  class A_kept_connection {
    @Test
    void serves_one_call_after_the_other() {
      try (RawHost host = RawHost.answering(RawHost.ok("x"));
          TestClient tested = new TestClient()) {
        for (int i = 0; i < 20; i++) {
          assertThat(tested.call(get(host)).status()).isEqualTo(200);
        }

        assertThat(host.requests()).hasSize(20);
        assertThat(host.accepted()).isEqualTo(1);
        assertThat(tested.client.connections()).isEqualTo(1);
        assertThat(tested.client.inFlight()).isZero();
      }
    }

    @Test
    void is_not_shared_between_purposes() {
      try (RawHost host = RawHost.answering(RawHost.ok("x"));
          TestClient tested = new TestClient()) {
        tested.call(Call.get(host.url("/"), Purpose.FETCH));
        tested.call(Call.get(host.url("/"), Purpose.CALLBACK));

        assertThat(host.accepted()).isEqualTo(2);
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
          "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxgarbage",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nX: unfinished",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny",
          "HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\nx"
        })
    void is_none_where_the_answer_ends_it_or_is_followed_by_more(String response) {
      try (RawHost host = RawHost.answering(response);
          TestClient tested = new TestClient()) {
        for (int i = 0; i < 3; i++) {
          Reply reply = tested.call(get(host));
          assertThat(reply.body())
              .isEqualTo(reply.status() == 204 ? new byte[0] : new byte[] {'x'});
        }

        assertThat(host.accepted()).isEqualTo(3);
      }
    }

    @Test
    void is_kept_with_HTTP_1_0_where_the_server_says_so() {
      try (RawHost host =
              RawHost.answering(
                  "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx");
          TestClient tested = new TestClient()) {
        tested.call(get(host));
        tested.call(get(host));

        assertThat(host.accepted()).isEqualTo(1);
      }
    }

    @Test
    void is_dropped_when_the_server_speaks_unasked() {
      CountDownLatch answered = new CountDownLatch(1);
      try (RawHost host =
              RawHost.running(
                  talk -> {
                    talk.read();
                    talk.send(RawHost.ok("x"));
                    try {
                      assertThat(answered.await(10, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                    talk.send("HT");
                    talk.awaitEnd();
                  });
          TestClient tested = new TestClient()) {
        tested.call(get(host));
        answered.countDown();

        await().until(() -> tested.client.connections() == 0);
      }
    }

    @Test
    void is_closed_after_its_idle_time() {
      try (RawHost host = RawHost.answering(RawHost.ok("x"));
          TestClient tested =
              new TestClient(ClientConfig.defaults().withIdle(Duration.ofMillis(50)))) {
        tested.call(get(host));

        await().until(() -> host.open() == 0 && tested.client.connections() == 0);
        assertThat(tested.call(get(host)).status()).isEqualTo(200);
      }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void that_the_server_ends_as_the_next_request_leaves_is_replaced_once(boolean post) {
      // The server reads the second request of a connection and drops it, as one that has just
      // timed out would.
      try (RawHost host =
              RawHost.running(
                  talk -> {
                    talk.read();
                    talk.send(RawHost.ok("x"));
                    talk.read();
                  });
          TestClient tested = new TestClient()) {
        Call.Builder call =
            post ? Call.post(host.url("/"), Purpose.CALLBACK, new byte[] {'b'}) : get(host);
        assertThat(tested.call(call).status()).isEqualTo(200);
        assertThat(tested.call(call).status()).isEqualTo(200);

        assertThat(host.requests())
            .extracting(RawHost.Received::connection)
            .containsExactly(1, 1, 2);
      }
    }

    @Test
    void that_broke_after_the_first_byte_of_the_answer_is_not_replaced() {
      try (RawHost host =
              RawHost.running(
                  talk -> {
                    talk.read();
                    talk.send(RawHost.ok("x"));
                    talk.read();
                    talk.send("H");
                  });
          TestClient tested = new TestClient()) {
        tested.call(get(host));

        assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.BROKEN);
        assertThat(host.requests()).hasSize(2);
      }
    }

    @Test
    void that_fails_twice_fails_the_call() {
      try (RawHost host =
              RawHost.running(
                  talk -> {
                    talk.read();
                    if (talk.number() == 1) {
                      talk.send(RawHost.ok("x"));
                      talk.read();
                    }
                  });
          TestClient tested = new TestClient()) {
        tested.call(get(host));

        assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.BROKEN);
        assertThat(host.requests())
            .extracting(RawHost.Received::connection)
            .containsExactly(1, 1, 2);
      }
    }
  }

  @Nested
  class The_bound_per_host {
    @Test
    void is_never_exceeded_at_the_server() {
      Gate gate = new Gate();
      try (RawHost host = RawHost.running(gate);
          TestClient tested = new TestClient(ClientConfig.defaults().withConnectionsPerHost(3))) {
        List<CompletableFuture<Reply>> replies = send(tested, host, 30);
        await().until(() -> host.requests().size() == 3);
        gate.open();
        allSucceed(replies);

        assertThat(host.peak()).isEqualTo(3);
        assertThat(host.accepted()).isEqualTo(3);
        assertThat(host.requests()).hasSize(30);
      }
    }

    @Test
    void holds_for_servers_that_close_after_each_answer() {
      try (RawHost host =
              RawHost.running(
                  talk -> {
                    talk.read();
                    talk.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                    talk.awaitEnd();
                  });
          TestClient tested = new TestClient(ClientConfig.defaults().withConnectionsPerHost(2))) {
        allSucceed(send(tested, host, 40));

        assertThat(host.accepted()).isEqualTo(40);
        assertThat(tested.client.connections()).isLessThanOrEqualTo(2);
      }
    }

    @Test
    void does_not_hold_up_another_host() {
      Gate gate = new Gate();
      try (RawHost slow = RawHost.running(gate);
          RawHost quick = RawHost.answering(RawHost.ok("x"));
          TestClient tested = new TestClient(ClientConfig.defaults().withConnectionsPerHost(1))) {
        List<CompletableFuture<Reply>> replies = send(tested, slow, 20);

        assertThat(tested.call(get(quick)).status()).isEqualTo(200);
        gate.open();
        allSucceed(replies);
      }
    }

    @Test
    void has_a_queue_behind_it_which_is_bounded_too() {
      Gate gate = new Gate();
      ClientConfig config = ClientConfig.defaults().withConnectionsPerHost(2).withQueuePerHost(3);
      try (RawHost host = RawHost.running(gate);
          TestClient tested = new TestClient(config)) {
        List<CompletableFuture<Reply>> replies = send(tested, host, 5);
        for (CompletableFuture<Reply> tooMany : send(tested, host, 4)) {
          assertThat(TestClient.failure(tooMany).failure()).isEqualTo(Failure.SATURATED);
        }
        assertThat(tested.client.inFlight()).isEqualTo(5);
        gate.open();
        allSucceed(replies);
        assertThat(tested.client.inFlight()).isZero();
      }
    }

    @Test
    void gives_a_place_in_the_queue_back_when_a_call_runs_out_of_time() {
      Gate gate = new Gate();
      ClientConfig config = ClientConfig.defaults().withConnectionsPerHost(1).withQueuePerHost(1);
      try (RawHost host = RawHost.running(gate);
          TestClient tested = new TestClient(config)) {
        List<CompletableFuture<Reply>> first = send(tested, host, 1);
        CallException failure = tested.failure(get(host).timeout(Duration.ofMillis(100)));
        assertThat(failure.failure()).isEqualTo(Failure.TIMEOUT);
        assertThat(failure).hasMessageContaining("waiting for a free connection");

        List<CompletableFuture<Reply>> second = send(tested, host, 1);
        gate.open();
        allSucceed(first);
        allSucceed(second);
      }
    }

    @Test
    void gives_the_connection_of_a_call_back_that_ran_out_of_time() {
      try (RawHost host =
              RawHost.running(
                  talk -> {
                    talk.read();
                    if (talk.number() > 2) {
                      talk.send(RawHost.ok("x"));
                    }
                    talk.awaitEnd();
                  });
          TestClient tested = new TestClient(ClientConfig.defaults().withConnectionsPerHost(1))) {
        for (int i = 0; i < 2; i++) {
          assertThat(tested.failure(get(host).timeout(Duration.ofMillis(100))).failure())
              .isEqualTo(Failure.TIMEOUT);
        }
        assertThat(tested.call(get(host)).status()).isEqualTo(200);
        assertThat(host.accepted()).isEqualTo(3);
      }
    }
  }

  @Nested
  class The_bound_in_all {
    @Test
    void holds_over_many_hosts_and_starves_none() {
      List<RawHost> hosts = new ArrayList<>();
      try (TestClient tested = new TestClient(ClientConfig.defaults().withMaxConnections(3))) {
        for (int i = 0; i < 12; i++) {
          hosts.add(RawHost.answering(RawHost.ok("x")));
        }
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
          hosts.forEach(host -> replies.addAll(send(tested, host, 1)));
          assertThat(tested.client.connections()).isLessThanOrEqualTo(3);
        }
        allSucceed(replies);

        assertThat(hosts).allMatch(host -> host.requests().size() == 20);
        assertThat(tested.client.connections()).isLessThanOrEqualTo(3);
      } finally {
        hosts.forEach(RawHost::close);
      }
    }

    @Test
    void does_not_make_a_single_busy_host_reconnect() {
      try (RawHost host = RawHost.answering(RawHost.ok("x"));
          TestClient tested = new TestClient(ClientConfig.defaults().withMaxConnections(2))) {
        allSucceed(send(tested, host, 200));

        assertThat(host.accepted()).isEqualTo(2);
      }
    }

    @Test
    void is_passed_on_between_hosts_that_are_always_busy() {
      try (RawHost one = RawHost.answering(RawHost.ok("x"));
          RawHost other = RawHost.answering(RawHost.ok("x"));
          TestClient tested = new TestClient(ClientConfig.defaults().withMaxConnections(1))) {
        List<CompletableFuture<Reply>> many = send(tested, one, 1000);
        List<CompletableFuture<Reply>> few = send(tested, other, 1);

        allSucceed(few);
        assertThat(one.requests()).hasSizeLessThan(1000);
        allSucceed(many);
      }
    }

    @Test
    void takes_an_unused_connection_from_another_host() {
      try (RawHost one = RawHost.answering(RawHost.ok("x"));
          RawHost other = RawHost.answering(RawHost.ok("x"));
          TestClient tested = new TestClient(ClientConfig.defaults().withMaxConnections(1))) {
        for (int i = 0; i < 3; i++) {
          assertThat(tested.call(get(one)).status()).isEqualTo(200);
          assertThat(tested.call(get(other)).status()).isEqualTo(200);
        }

        await().until(() -> one.open() == 0);
        assertThat(tested.client.connections()).isEqualTo(1);
      }
    }

    @Test
    void holds_for_calls_too() {
      Gate gate = new Gate();
      try (RawHost host = RawHost.running(gate);
          TestClient tested = new TestClient(ClientConfig.defaults().withMaxCalls(4))) {
        List<CompletableFuture<Reply>> replies = send(tested, host, 4);

        assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.SATURATED);
        gate.open();
        allSucceed(replies);
        assertThat(tested.call(get(host)).status()).isEqualTo(200);
      }
    }
  }
}
