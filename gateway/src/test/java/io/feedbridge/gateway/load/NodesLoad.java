package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.LocalServer;
import io.feedbridge.gateway.testing.RawClient;
import io.feedbridge.gateway.testing.StoredRows;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pings at two standbys beside a busy owner. Not part of a usual build: {@code mvn -Drun=NodesLoad
 * verify}.
 */
@Tag("alone")
class NodesLoad {

  private static final int FEEDS = 1_000;
  private static final int SINGLE = 200;
  private static final int RATE = Integer.getInteger("nodes.rate", 1_000);
  private static final int SECONDS = 15;
  private static final int ROUNDS = Integer.getInteger("nodes.rounds", 5);
  private static final int CALLERS = 64;
  private static final Duration LONG = Duration.ofMinutes(3);

  private final TestServer server = TestServer.durable();
  private final String database = server.empty();
  private final StoredRows rows = StoredRows.at(database);
  private final Map<String, Long> fetchedAt = new ConcurrentHashMap<>();
  private final AtomicInteger fetches = new AtomicInteger();
  private final LocalServer origin =
      new LocalServer(
          request -> {
            fetchedAt.put(request.path(), System.nanoTime());
            // Each fetch finds an entry that is new, so that the owner goes on fetching.
            int fetch = fetches.incrementAndGet();
            return CompletableFuture.completedFuture(
                Response.of(
                    200,
                    "application/rss+xml",
                    FakeOrigin.rssOf("", request.path() + "-" + fetch, request.path())
                        .getBytes(StandardCharsets.UTF_8)));
          });
  private final Http http = new Http();
  private final List<GatewayProcess> standbys = new ArrayList<>();
  @TempDir Path folder;

  private GatewayProcess launch(String name) {
    return GatewayProcess.launchWith(
        List.of("-Xmx512m", "-XX:TieredStopAtLevel=4"),
        folder.resolve(name),
        FreePort.next(),
        "--store=" + database,
        "--node=" + name,
        "--key-file=" + folder.resolve("key"),
        "--host-pause=0",
        "--ping-quiet=0",
        "--connections-per-address=10000",
        "--limit-exempt=127.0.0.0/8",
        "--poll-min=12h",
        "--poll-max=24h");
  }

  private String path(int feed) {
    return "/feed" + feed;
  }

  private int ping(int feed) {
    GatewayProcess node = standbys.get(feed % standbys.size());
    return http.form(node.url("/hub"), "hub.mode", "publish", "hub.url", origin.url() + path(feed))
        .statusCode();
  }

  @Test
  void pings_at_standbys_are_answered_soon_beside_a_busy_owner() throws Exception {
    try (server;
        origin;
        GatewayProcess owner = launch("owner")) {
      owner.awaitReady();
      follow(owner);
      standbys.add(launch("one"));
      standbys.add(launch("two"));
      standbys.forEach(node -> await().atMost(LONG).until(() -> isServing(node)));

      Percentiles soon = oneByOne();
      System.out.println("[nodes] from a ping at a standby to the owner's fetch: " + soon);
      // The first rounds warm the processes up.
      Percentiles answers = soon;
      for (int round = 1; round <= ROUNDS; round++) {
        answers = manyAtOnce();
        System.out.printf(
            "[nodes] round %d, answers of %,d pings/s at two standbys: %s%n", round, RATE, answers);
      }
      assertThat(answers.p99()).isLessThan(Duration.ofSeconds(1));
    } finally {
      standbys.forEach(GatewayProcess::close);
    }
  }

  private void follow(GatewayProcess owner) {
    for (int i = 0; i < FEEDS; i++) {
      http.json(
          "POST", owner.url("/api/v1/feeds"), "{\"url\":\"%s\"}".formatted(origin.url() + path(i)));
    }
    await().atMost(LONG).until(() -> rows.count("feed WHERE first_fetch_at IS NOT NULL") == FEEDS);
  }

  private boolean isServing(GatewayProcess node) {
    try {
      return node.get("/health").body().contains("\"serving\":true");
    } catch (CompletionException notListening) {
      return false;
    }
  }

  private Percentiles oneByOne() {
    List<Long> delays = new ArrayList<>();
    for (int i = 0; i < SINGLE; i++) {
      String path = path(i);
      fetchedAt.remove(path);
      long began = System.nanoTime();
      assertThat(ping(i)).isEqualTo(204);
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> fetchedAt.containsKey(path));
      delays.add(fetchedAt.getOrDefault(path, began) - began);
    }
    return Percentiles.of(delays);
  }

  /** Each ping is due at a time of its own, and its answer counts from then. */
  private Percentiles manyAtOnce() throws InterruptedException {
    Queue<Long> delays = new ConcurrentLinkedQueue<>();
    Queue<String> others = new ConcurrentLinkedQueue<>();
    AtomicInteger sent = new AtomicInteger();
    int before = fetches.get();
    long began = System.nanoTime();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      GatewayProcess node = standbys.get(i % standbys.size());
      Thread caller = new Thread(() -> call(node, began, sent, delays, others));
      caller.start();
      callers.add(caller);
    }
    for (Thread caller : callers) {
      caller.join();
    }
    System.out.printf(
        "[nodes] %,d pings in %.1f s, %,d fetches meanwhile; other answers than 204: %s%n",
        sent.get(),
        (System.nanoTime() - began) / 1e9,
        fetches.get() - before,
        others.stream().limit(3).toList());
    assertThat(others).isEmpty();
    return Percentiles.of(List.copyOf(delays));
  }

  private void call(
      GatewayProcess node,
      long began,
      AtomicInteger sent,
      Queue<Long> delays,
      Queue<String> others) {
    try (RawClient client =
        new RawClient(
            new InetSocketAddress(
                InetAddress.getLoopbackAddress(), URI.create(node.url("")).getPort()))) {
      for (int n = sent.getAndIncrement(); n < RATE * SECONDS; n = sent.getAndIncrement()) {
        long due = began + n * (Duration.ofSeconds(1).toNanos() / RATE);
        LockSupport.parkNanos(due - System.nanoTime());
        String form = "hub.mode=publish&hub.url=" + origin.url() + path(n % FEEDS);
        client.send(
            """
            POST /hub HTTP/1.1
            Host: 127.0.0.1
            Content-Type: application/x-www-form-urlencoded
            Content-Length: %d

            %s"""
                .formatted(form.length(), form));
        int status = client.read().status();
        delays.add(System.nanoTime() - due);
        if (status != 204) {
          others.add("status " + status);
        }
      }
    } catch (IOException e) {
      others.add(e.toString());
    }
  }
}
