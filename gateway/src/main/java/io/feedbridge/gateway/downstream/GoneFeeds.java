package io.feedbridge.gateway.downstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.CallException;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Denials;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.websub.Denial;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Tells WebSub subscribers that their topic is gone (rule H10), each once, or twice around a crash.
 * Their subscriptions last on: should the feed come back, they get what is new.
 */
public final class GoneFeeds implements AutoCloseable {

  /** Subscribers that are told at once. */
  private static final int BATCH = 50;

  /** Feeds in one step; each has its turn. */
  private static final int FEEDS = 20;

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_ANSWER = 1_024;

  private final Store store;
  private final OutboundClient client;
  private final Clock clock;
  private final String userAgent;
  private final Pump pump;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   */
  public GoneFeeds(
      Store store, OutboundClient client, Executor executor, Timer timer, String userAgent) {
    this.store = store;
    this.client = client;
    this.userAgent = userAgent;
    clock = timer.clock();
    pump = new Pump("gone-feeds", this::step, executor, timer);
  }

  /** Tells whom a stop left untold, then whoever is concerned. */
  public void start() {
    store.onChange(Change.FETCHED, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    List<Denials.Open> open = store.denials().open(FEEDS);
    open.forEach(this::tell);
    return open.isEmpty() ? Optional.empty() : Optional.of(clock.instant());
  }

  private void tell(Denials.Open open) {
    List<Subscription> next = store.subscriptions().ofFeed(open.feedId(), open.told(), BATCH);
    if (next.isEmpty()) {
      store.denials().end(open.feedId()).join();
      return;
    }
    List<CompletableFuture<Boolean>> told =
        next.stream()
            .filter(subscription -> subscription.protocol() == Protocol.WEBSUB)
            .map(subscription -> tell(subscription, open.reason()))
            .toList();
    // Where the gateway is stopping, they are told after the restart.
    if (told.stream().allMatch(CompletableFuture::join)) {
      store.denials().told(open.feedId(), next.get(next.size() - 1).id()).join();
    }
  }

  /** Whether it was told or could not be; false if the gateway is stopping. */
  private CompletableFuture<Boolean> tell(Subscription subscription, String reason) {
    Denial denial = new Denial(subscription.callback(), subscription.terms().namedTopic(), reason);
    Call call =
        Call.get(denial.url(), Purpose.CALLBACK)
            .header("User-Agent", userAgent)
            .timeout(TIMEOUT)
            .truncateBodyAt(MAX_ANSWER)
            .build();
    return client.send(call).thenApply(reply -> true).exceptionally(GoneFeeds::goesOn);
  }

  private static boolean goesOn(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof CallException call && call.failure() == CallException.Failure.CLOSED);
  }

  @Override
  public void close() {
    pump.close();
  }
}
