package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.netty.handler.codec.http.FullHttpRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of subscriptions are requested at once, and each is verified, in bounded memory. Not
 * part of a usual build: {@code mvn -Drun=VerificationLoad verify}.
 */
@Tag("alone")
class VerificationLoad {

  private static final int SUBSCRIPTIONS = Integer.getInteger("verifications", 10_000);
  private static final int HOSTS = 100;
  private static final int FEEDS = 10;

  /** Requests of the load's own that are under way at once. */
  private static final int UNDER_WAY = 64;

  /** Of the bare pairs so many are made before those that count. */
  private static final int WARM_UP = 2_000;

  private static final Duration LOOK = Duration.ofMillis(100);
  private static final String FORM = "application/x-www-form-urlencoded";

  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final LocalHosts sinks =
      new LocalHosts(
          1,
          new LocalHosts.Handler() {
            @Override
            public LocalHosts.Answer handle(LocalHost host, FullHttpRequest request) {
              return LocalHosts.Answer.TAKEN;
            }

            @Override
            public void confirming(LocalHost host, String uri) {
              asked.incrementAndGet();
            }
          });
  private final Origin origin = new Origin();
  private final OutboundClient client =
      OutboundClient.start(
          1,
          ClientConfig.defaults().withConnectionsPerHost(UNDER_WAY),
          AddressPolicy.allowing(TestGateway.LOOPBACK, TestGateway.LOOPBACK));
  @TempDir Path data;

  @AfterEach
  void end() {
    client.close();
    sinks.close();
    origin.close();
  }

  private static void print(String format, Object... values) {
    System.out.println("[verifications] " + String.format(Locale.ROOT, format, values));
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  /** Makes so many of them, some at once; returns when all have ended. */
  private void make(int count, IntFunction<CompletableFuture<?>> one) {
    Semaphore room = new Semaphore(UNDER_WAY);
    for (int i = 0; i < count; i++) {
      room.acquireUninterruptibly();
      var unused =
          one.apply(i)
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      failed.incrementAndGet();
                    }
                    room.release();
                  });
    }
    room.acquireUninterruptibly(UNDER_WAY);
  }

  private CompletableFuture<Reply> post(String url, String... form) {
    byte[] body = Http.encode(form).getBytes(StandardCharsets.UTF_8);
    return client.send(Call.post(url, Purpose.CALLBACK, body).header("Content-Type", FORM).build());
  }

  /** What a hub that keeps nothing would do: a request in, a request out. */
  private CompletableFuture<Reply> pair(LocalHost sink) {
    return post(sink.url("hub"), "hub.mode", "subscribe")
        .thenCompose(
            taken ->
                client.send(
                    Call.get(sink.url("callback?hub.challenge=c"), Purpose.CALLBACK).build()));
  }

  @Test
  void all_are_requested_and_verified_in_bounded_memory() throws Exception {
    List<LocalHost> hosts = sinks.listen(3, HOSTS);
    try (GatewayProcess gateway =
        GatewayProcess.launchWith(
            List.of("-Xmx256m", "-XX:TieredStopAtLevel=4"),
            data,
            FreePort.next(),
            "--poll-min=12h",
            "--poll-max=24h")) {
      gateway.awaitReady();
      for (int i = 0; i < FEEDS; i++) {
        origin.feed("feed" + i);
      }
      make(WARM_UP, i -> pair(hosts.get(i % HOSTS)));
      long start = System.nanoTime();
      make(SUBSCRIPTIONS, i -> pair(hosts.get(i % HOSTS)));
      double pairs = SUBSCRIPTIONS / seconds(start);
      asked.set(0);

      Most most = new Most(gateway);
      var looks = Executors.newSingleThreadScheduledExecutor();
      var unused = looks.scheduleWithFixedDelay(most, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
      long began = System.nanoTime();
      make(
          SUBSCRIPTIONS,
          i ->
              post(
                      gateway.url("/hub"),
                      "hub.mode",
                      "subscribe",
                      "hub.topic",
                      origin.url("feed" + i % FEEDS),
                      "hub.callback",
                      hosts.get(i % HOSTS).url("s" + i),
                      "hub.secret",
                      "secret of " + i)
                  .thenAccept(reply -> assertThat(reply.status()).isEqualTo(202)));
      double requested = SUBSCRIPTIONS / seconds(began);
      awaits(() -> asked.get() >= SUBSCRIPTIONS);
      double verified = SUBSCRIPTIONS / seconds(began);
      awaits(() -> gateway.meter("feedbridge_subscriptions_websub") == SUBSCRIPTIONS);
      looks.shutdown();

      print("bare pairs of requests: %,.0f a second", pairs);
      print("requests accepted: %,.0f a second", requested);
      print(
          "requested and verified: %,.0f a second, %.2f of the bare pairs",
          verified, verified / pairs);
      print(
          "heap at most %d MiB of 256, resident at most %d MiB, %d threads",
          most.heap >> 20, most.resident >> 20, most.threads);
      assertThat(failed).hasValue(0);
      assertThat(asked).as("verifications").hasValue(SUBSCRIPTIONS);
      assertThat(sinks.most()).as("at once").isLessThanOrEqualTo(256);
      assertThat(most.heap).as("heap").isBetween(1L, 256L << 20);
      assertThat(gateway.errors()).doesNotContain("OutOfMemoryError");
    }
  }

  private static void awaits(Callable<Boolean> condition) {
    await()
        .atMost(Duration.ofMinutes(10))
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(condition);
  }

  /** What the process took at most. */
  private static final class Most implements Runnable {
    private final GatewayProcess gateway;
    private volatile long heap;
    private volatile long resident;
    private volatile int threads;

    Most(GatewayProcess gateway) {
      this.gateway = gateway;
    }

    @Override
    public void run() {
      try {
        heap = Math.max(heap, Scrape.of(gateway).heapBytes());
        ProcessFigures now = ProcessFigures.of(gateway.pid());
        resident = Math.max(resident, now.residentBytes());
        threads = Math.max(threads, now.threads());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
