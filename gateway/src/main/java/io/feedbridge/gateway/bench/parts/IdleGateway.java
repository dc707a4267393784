package io.feedbridge.gateway.bench.parts;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bench.data.Secrets;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.FirstFetches;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.ingest.FetchReports;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.ingest.Politeness;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.ingest.fetch.UserAgent;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.offline.OfflineStore;
import io.feedbridge.gateway.poll.PollTimer;
import io.feedbridge.gateway.retention.Retention;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.subscribers.Leases;
import io.feedbridge.gateway.subscribers.Removals;
import io.feedbridge.gateway.upstream.Upstream;
import io.feedbridge.gateway.upstream.UpstreamUrls;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.websub.LeasePolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * All of a gateway that acts by itself, with its real store, in a time that is simulated and
 * without a network: whatever is fetched is answered at once that it has not been modified. It ends
 * with its process.
 */
final class IdleGateway implements Talk.Role, Sender {

  private static final int NOT_MODIFIED = 304;
  private static final URI URL = URI.create("http://gateway.example");
  private static final Duration SHORTEST_POLL = Duration.ofMinutes(1);
  private static final Duration RECHECK = Duration.ofSeconds(30);
  private static final Duration HOST_PAUSE = Duration.ofMillis(500);
  private static final Duration PING_QUIET = Duration.ofMillis(400);
  private static final Duration RETENTION = Duration.ofDays(7);

  private final AtomicLong fetches = new AtomicLong();
  private @Nullable SimulatedTime time;

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "start" ->
          start(
              Path.of(words[3]),
              Instant.ofEpochSecond(Long.parseLong(words[1])),
              Duration.ofSeconds(Long.parseLong(words[2])));
      case "pass" -> pass(Duration.ofSeconds(Long.parseLong(words[1])));
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  /** {@code start SECOND LONGEST-POLL-SECONDS DATA}. */
  private Map<String, Object> start(Path data, Instant at, Duration longestPoll) {
    SimulatedTime now = new SimulatedTime(at);
    time = now;
    OfflineStore offline = OfflineStore.open(data, now, now);
    Store store = offline.store();
    Work work = offline.work();
    SecureRandom random = new SecureRandom();
    Meters meters = new Meters(new SimpleMeterRegistry(), now.clock());
    UserAgent userAgent = new UserAgent("Feedbridge", "bench", URL);
    Fetcher fetcher =
        new Fetcher(this, LocalTopics.NONE, userAgent, KnownHubs.USUAL, now.clock(), now);
    new Ingest(
            work,
            store,
            fetcher,
            new FetchReports(meters, new ActivityLog(now.clock()), Traces.off()),
            now,
            now,
            new PollSchedule(SHORTEST_POLL, longestPoll, longestPoll, RECHECK, true),
            new Politeness(
                HOST_PAUSE,
                PING_QUIET,
                FirstFetches.unlimited(),
                Networks.of(List.of()),
                GivenPaces.NONE))
        .start();
    UpstreamUrls urls = new UpstreamUrls(URL, Secrets.of(0).getBytes(US_ASCII));
    new Upstream(store, new ActivityLog(now.clock()), this, now, now, random, urls, meters).start();
    new Leases(store, LeasePolicy.DEFAULT.min(), now, now).start();
    new Removals(store, now, now).start();
    new Retention(store, RETENTION, now, now, meters).start();
    new PollTimer(store, work, now, now).start();
    return Map.of();
  }

  /** {@code pass SECONDS}: says how many fetches there were meanwhile. */
  private Map<String, Object> pass(Duration by) throws InterruptedException {
    if (time == null) {
      throw new IllegalStateException("it has not started");
    }
    long before = fetches.get();
    time.advance(by);
    return Map.of("fetches", fetches.get() - before);
  }

  @Override
  public CompletableFuture<Reply> send(Call call) {
    fetches.incrementAndGet();
    return CompletableFuture.completedFuture(Reply.bare(NOT_MODIFIED, call.url()));
  }
}
