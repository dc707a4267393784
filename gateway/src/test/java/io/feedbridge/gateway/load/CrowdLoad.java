package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 2,000 readers of the live stream beside 200 polls a second of one bridged feed, while that feed
 * has news: each reader has every event once, in order, and memory stays within its bounds. Not
 * part of a usual build: {@code mvn -Drun=CrowdLoad verify}.
 */
@Tag("alone")
class CrowdLoad {

  /** Addresses that the readers come from. */
  private static final int CALLERS = 100;

  private static final int READERS = Integer.getInteger("crowd.readers", 2_000);
  private static final int POLLS_PER_SECOND = 200;
  private static final Duration DURATION =
      Duration.ofSeconds(Integer.getInteger("crowd.seconds", 60));
  private static final Duration BETWEEN_EVENTS = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long HEAP = 256L << 20;
  private static final String NO_TAG = "\"none\"";
  private static final byte[] MARK = "\"eventId\":\"".getBytes(StandardCharsets.US_ASCII);

  /** When each event was first asked for, by its number among the published ones. */
  private final List<Long> publishedAt = new ArrayList<>();

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicLong delivered = new AtomicLong();
  private final List<Long> delays = new ArrayList<>();

  /** Of the bridged feed as some reader had it last. */
  private final AtomicReference<String> tag = new AtomicReference<>(NO_TAG);

  private final AtomicInteger fresh = new AtomicInteger();
  private final AtomicInteger unchanged = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final List<Long> pollTimes = new ArrayList<>();

  @TempDir Path data;
  private volatile boolean over;

  /** One connection, and how much of the mark of an event it has seen last. */
  private static final class Reader {
    private int matched;
    private int events;
    private boolean begun;
  }

  private static void print(String line, Object... values) {
    System.out.println("[crowd] " + String.format(Locale.ROOT, line, values));
  }

  @Test
  void very_many_readers_and_polls_take_bounded_memory() throws Exception {
    int port = FreePort.next();
    ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
    try (FakeOrigin origin = new FakeOrigin();
        GatewayProcess gateway =
            GatewayProcess.launchWith(
                List.of("-Xmx256m", "-XX:TieredStopAtLevel=4"),
                data,
                port,
                "--poll-min=1h",
                "--connections-per-address=" + 2 * READERS)) {
      gateway.awaitReady();
      String feed = origin.rss("feed.xml", "", "first");
      String bridged = "http://127.0.0.1:" + port + "/feed.atom?" + Http.encode("url", feed);
      assertThat(new Http().get(bridged).statusCode()).isEqualTo(200);
      Thread reading = new Thread(() -> read(port), "readers");
      reading.start();
      await().atMost(PATIENCE).until(() -> open.get() == READERS);
      HttpClient poller = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

      var polls =
          clock.scheduleAtFixedRate(
              () -> poll(poller, bridged),
              0,
              TimeUnit.SECONDS.toNanos(1) / POLLS_PER_SECOND,
              TimeUnit.NANOSECONDS);
      long mostHeap = 0;
      int events = (int) (DURATION.toMillis() / BETWEEN_EVENTS.toMillis());
      for (int i = 0; i < events; i++) {
        origin.rss("feed.xml", "", "item" + i, "first");
        synchronized (delays) {
          publishedAt.add(System.nanoTime());
        }
        gateway.form("/ping", "url", feed);
        long wanted = (long) READERS * (i + 1);
        await().atMost(PATIENCE).until(() -> delivered.get() == wanted);
        mostHeap = Math.max(mostHeap, Footprint.of(gateway, data).heap());
        long next = publishedAt.get(i) + BETWEEN_EVENTS.toNanos();
        await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() >= next);
      }
      polls.cancel(false);
      await().atMost(PATIENCE).until(() -> answered() >= pollTimes.size());
      Footprint last = Footprint.of(gateway, data);
      over = true;
      reading.join();

      print("%d readers had %d events each; %d connections broke", READERS, events, closed.get());
      print(
          "delays from the ping: median %d ms, p99 %d ms, longest %d ms",
          at(delays, 50), at(delays, 99), at(delays, 100));
      print(
          "%d polls a second: %d of 200, %d of 304, %d failed; median %d ms, p99 %d ms",
          POLLS_PER_SECOND,
          fresh.get(),
          unchanged.get(),
          failed.get(),
          at(pollTimes, 50),
          at(pollTimes, 99));
      print(
          "heap at most %d MiB, resident %d MiB at the end", mostHeap >> 20, last.resident() >> 20);
      assertThat(delivered).hasValue((long) READERS * events);
      assertThat(closed).hasValue(0);
      assertThat(failed).hasValue(0);
      assertThat(mostHeap).isLessThan(HEAP);
    } finally {
      over = true;
      clock.shutdownNow();
    }
  }

  private int answered() {
    return fresh.get() + unchanged.get() + failed.get();
  }

  private void poll(HttpClient client, String url) {
    long began = System.nanoTime();
    var unused =
        client
            .sendAsync(
                HttpRequest.newBuilder(URI.create(url)).header("If-None-Match", tag.get()).build(),
                HttpResponse.BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  synchronized (pollTimes) {
                    pollTimes.add(System.nanoTime() - began);
                  }
                  if (failure != null) {
                    failed.incrementAndGet();
                  } else if (answer.statusCode() == 304) {
                    unchanged.incrementAndGet();
                  } else if (answer.statusCode() == 200) {
                    tag.set(answer.headers().firstValue("ETag").orElse(NO_TAG));
                    fresh.incrementAndGet();
                  } else {
                    failed.incrementAndGet();
                  }
                });
  }

  private void read(int port) {
    try (Selector selector = Selector.open()) {
      List<SocketChannel> all = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        SocketChannel channel = SocketChannel.open();
        // Each caller has a share of the readers, so they come from several addresses.
        channel.bind(new InetSocketAddress("127.0.0." + (2 + i % CALLERS), 0));
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        String request = "GET /stream HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n";
        channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, new Reader());
        all.add(channel);
      }
      ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
      while (!over) {
        selector.select(100);
        for (SelectionKey key : selector.selectedKeys()) {
          take((SocketChannel) key.channel(), (Reader) key.attachment(), buffer);
        }
        selector.selectedKeys().clear();
      }
      for (SocketChannel channel : all) {
        channel.close();
      }
    } catch (IOException e) {
      closed.incrementAndGet();
    }
  }

  private void take(SocketChannel channel, Reader reader, ByteBuffer buffer) throws IOException {
    buffer.clear();
    if (channel.read(buffer) < 0) {
      closed.incrementAndGet();
      channel.close();
      return;
    }
    if (!reader.begun) {
      reader.begun = true;
      open.incrementAndGet();
    }
    buffer.flip();
    while (buffer.hasRemaining()) {
      byte next = buffer.get();
      reader.matched = next == MARK[reader.matched] ? reader.matched + 1 : next == MARK[0] ? 1 : 0;
      if (reader.matched == MARK.length) {
        reader.matched = 0;
        synchronized (delays) {
          delays.add(System.nanoTime() - publishedAt.get(reader.events));
        }
        reader.events++;
        delivered.incrementAndGet();
      }
    }
  }

  private static long at(List<Long> nanos, int percent) {
    synchronized (nanos) {
      LongStream sorted = nanos.stream().mapToLong(Long::longValue).sorted();
      int index = Math.max(0, nanos.size() * percent / 100 - 1);
      @Nullable Long found = sorted.skip(index).boxed().findFirst().orElse(null);
      return found == null ? 0 : TimeUnit.NANOSECONDS.toMillis(found);
    }
  }
}
