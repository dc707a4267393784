package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.StoredRows;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 100,000 feeds that are due within an hour, at origins that have nothing new: all are fetched,
 * within the heap, and no host gets more than its share. Nothing is simulated but the past of the
 * feeds, which is written into the store, and that the origins are on this machine; a shorter time
 * makes the same polls more in a second. Not part of a usual build: {@code mvn -Drun=PollingLoad
 * verify}.
 */
@Tag("alone")
class PollingLoad {

  private static final int FEEDS = Integer.getInteger("polling.feeds", 100_000);
  private static final Duration WITHIN =
      Duration.ofMinutes(Integer.getInteger("polling.minutes", 60));

  private static final int HOSTS = 250;
  private static final String ETAG = "\"v1\"";

  /** Of one host: polls at once, and the pause between two of them. */
  private static final int PER_HOST = 2;

  private static final Duration PAUSE = Duration.ofMillis(500);

  /** One host has so many feeds that it is busy for four fifths of the time. */
  private static final int AT_BUSY_HOST =
      (int) Math.min(FEEDS / 2, WITHIN.toMillis() * 4 / 5 / PAUSE.toMillis());

  private static final long HEAP = 512L << 20;
  private static final Duration LOOK = Duration.ofSeconds(10);

  /** What a gateway that starts has to itself before the first feed is due. */
  private static final Duration LEAD = Duration.ofSeconds(20);

  /** How late the last feed may be. */
  private static final Duration LATE = Duration.ofMinutes(2);

  private static final Duration SPAN = Duration.ofSeconds(10);

  /** When each feed was polled, as milliseconds since 1970; 0 for never. */
  private final AtomicLongArray polled = new AtomicLongArray(FEEDS);

  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger again = new AtomicInteger();
  private final AtomicInteger unconditional = new AtomicInteger();
  private final Map<LocalHost, Rhythm> rhythms = new ConcurrentHashMap<>();
  private final LocalHosts hosts = new LocalHosts(1, this::serve);
  private final LocalHosts subscribers = new LocalHosts(1, (host, request) -> Answer.TAKEN);
  @TempDir Path data;
  private long mostHeap;
  private long mostResident;

  @AfterEach
  void end() {
    hosts.close();
    subscribers.close();
  }

  private static void print(String line, Object... values) {
    System.out.println("[polling] " + String.format(Locale.ROOT, line, values));
  }

  private Answer serve(LocalHost host, FullHttpRequest request) {
    rhythms.computeIfAbsent(host, any -> new Rhythm()).beat();
    int feed = Integer.parseInt(request.uri().substring(1));
    if (polled.getAndSet(feed, System.currentTimeMillis()) == 0) {
      count.incrementAndGet();
    } else {
      again.incrementAndGet();
    }
    if (!ETAG.equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH))) {
      unconditional.incrementAndGet();
    }
    return Answer.status(304);
  }

  @Test
  void feeds_that_are_due_within_an_hour_are_all_polled_in_bounded_memory() throws Exception {
    List<LocalHost> origins = hosts.listen(6, HOSTS);
    LocalHost busy = hosts.listen("127.0.7.1");
    List<String> topics =
        IntStream.range(0, FEEDS)
            .mapToObj(i -> host(origins, busy, i).url(Integer.toString(i)))
            .toList();
    try (PreparedStore store = new PreparedStore(data)) {
      store.readBefore(topics, ETAG, subscribers.listen("127.0.2.1").url("callback"));
    }
    Instant start = Instant.now().plus(LEAD);
    long[] due = due(start);
    try (GatewayProcess gateway = launch()) {
      gateway.awaitReady();
      await()
          .atMost(LEAD.plus(WITHIN).plus(LATE))
          .pollInterval(LOOK)
          .until(
              () -> {
                look(gateway);
                return count.get() == FEEDS;
              });
      report(gateway, due, busy);

      assertThat(again).as("feeds polled twice").hasValue(0);
      assertThat(unconditional).as("polls without validators").hasValue(0);
      assertThat(gateway.meter("feedbridge_fetches_seconds_count{outcome=\"unchanged\"}"))
          .isEqualTo(FEEDS);
      assertThat(gateway.errors()).doesNotContain("OutOfMemoryError");
      assertThat(mostHeap).as("heap").isLessThan(HEAP);
      rhythms.forEach(
          (host, rhythm) -> {
            assertThat(host.most()).as("polls at once").isLessThanOrEqualTo(PER_HOST);
            assertThat(rhythm.mostWithin(SPAN))
                .as("polls within %s of one host", SPAN)
                // Two more than there are pauses: one at its begin, and one that was late.
                .isLessThanOrEqualTo((int) SPAN.dividedBy(PAUSE) + 2);
          });
    }
  }

  /** Feeds of the busy host are due all the time, like the others. */
  private static LocalHost host(List<LocalHost> origins, LocalHost busy, int feed) {
    return feed % (FEEDS / AT_BUSY_HOST) == 0 ? busy : origins.get(feed % HOSTS);
  }

  private GatewayProcess launch() {
    List<String> jvm =
        List.of("-Xmx512m", "-XX:TieredStopAtLevel=4", "-XX:NativeMemoryTracking=summary");
    return GatewayProcess.launchWith(
        jvm, data, FreePort.next(), "--poll-min=12h", "--host-pause=" + PAUSE.toMillis() + "ms");
  }

  /** Makes the feeds due one after the other; says when each of them is. */
  private long[] due(Instant start) {
    StoredRows.change(
        data,
        """
        UPDATE feed SET next_fetch_at = %d + turn.number * %d / %d
        FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) - 1 AS number FROM feed) AS turn
        WHERE feed.id = turn.id
        """
            .formatted(start.toEpochMilli(), WITHIN.toMillis(), FEEDS));
    long[] due = new long[FEEDS];
    for (String row : new StoredRows(data).query("SELECT url, next_fetch_at FROM feed")) {
      int bar = row.indexOf('|');
      int feed = Integer.parseInt(row.substring(row.lastIndexOf('/') + 1, bar));
      due[feed] = Long.parseLong(row.substring(bar + 1));
    }
    return due;
  }

  private void look(GatewayProcess gateway) throws IOException {
    long heap = Scrape.of(gateway).heapBytes();
    mostHeap = Math.max(mostHeap, heap);
    mostResident = Math.max(mostResident, ProcessFigures.of(gateway.pid()).residentBytes());
    print("%,9d polled, heap %d MiB", count.get(), heap >> 20);
  }

  private void report(GatewayProcess gateway, long[] due, LocalHost busy) throws IOException {
    List<Long> late = new ArrayList<>();
    LongStream.range(0, FEEDS)
        .map(i -> Math.max(0, polled.get((int) i) - due[(int) i]))
        .forEach(millis -> late.add(Duration.ofMillis(millis).toNanos()));
    print(
        "%,d feeds of %d hosts due within %s: %.0f a second",
        FEEDS, HOSTS + 1, WITHIN, FEEDS / (double) WITHIN.toSeconds());
    print("late: %s", Percentiles.of(late));
    print("the busy host: %,d polls", rhythms.getOrDefault(busy, new Rhythm()).count());
    print(
        "of one host at most: %d at once, %d within %s",
        rhythms.keySet().stream().mapToInt(LocalHost::most).max().orElseThrow(),
        rhythms.values().stream().mapToInt(r -> r.mostWithin(SPAN)).max().orElseThrow(),
        SPAN);
    print("heap at most %d MiB, resident at most %d MiB", mostHeap >> 20, mostResident >> 20);
    print("after a collection: %s", Footprint.afterCollection(gateway, data));
  }
}
