package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Servers of every bad habit at once, under bounds that are too small: every call ends, and nothing
 * is left over.
 */
@ExtendWith(LeakCheck.class)
class StressTest {
  private static final int HOSTS = 8;
  private static final int CALLERS = 4;
  private static final int CALLS = 400;
  private static final int PER_HOST = 4;

  private static RawHost moody(int seed) {
    return RawHost.running(
        talk -> {
          Random mood = new Random(31L * seed + talk.number());
          while (talk.read() != null) {
            switch (mood.nextInt(8)) {
              case 0 -> {
                talk.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                return;
              }
              case 1 -> {
                talk.reset();
                return;
              }
              case 2 -> {
                talk.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
                return;
              }
              case 3 -> talk.send(RawHost.ok("x") + "surplus");
              case 4 -> talk.awaitEnd();
              default -> talk.send(RawHost.ok("x"));
            }
          }
        });
  }

  @Test
  void every_call_ends_once_and_every_bound_holds() throws InterruptedException {
    List<RawHost> hosts = new ArrayList<>();
    ClientConfig config =
        ClientConfig.defaults()
            .withConnectionsPerHost(PER_HOST)
            .withMaxConnections(12)
            .withQueuePerHost(40);
    try (TestClient tested = new TestClient(config)) {
      for (int i = 0; i < HOSTS; i++) {
        hosts.add(moody(i));
      }
      Queue<CompletableFuture<Reply>> replies = new ConcurrentLinkedQueue<>();
      List<Thread> callers = new ArrayList<>();
      for (int c = 0; c < CALLERS; c++) {
        Random choice = new Random(c);
        Thread caller =
            new Thread(
                () -> {
                  for (int i = 0; i < CALLS; i++) {
                    String url = hosts.get(choice.nextInt(HOSTS)).url("/" + i);
                    Duration timeout = Duration.ofMillis(20 + choice.nextInt(300));
                    Call.Builder call =
                        Call.post(url, Purpose.CALLBACK, new byte[choice.nextInt(3000)]);
                    replies.add(tested.client.send(call.timeout(timeout).build()));
                  }
                });
        caller.start();
        callers.add(caller);
      }
      for (Thread caller : callers) {
        caller.join();
      }

      await()
          .atMost(TestClient.PATIENCE)
          .until(() -> replies.stream().allMatch(CompletableFuture::isDone));
      assertThat(replies)
          .hasSize(CALLERS * CALLS)
          .anyMatch(reply -> !reply.isCompletedExceptionally());
      assertThat(tested.client.inFlight()).isZero();
      assertThat(tested.client.connections()).isLessThanOrEqualTo(12);
      tested.client.close();
      await().until(() -> tested.client.connections() == 0);
      await().until(() -> hosts.stream().allMatch(host -> host.open() == 0));
    } finally {
      hosts.forEach(RawHost::close);
    }
  }
}
