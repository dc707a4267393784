package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.log.LogFollower;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.schedule.BackOff;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the endpoints of JSON webhooks: each active one follows the log from its own cursor (rule
 * L8). It takes no thread, and memory only for messages under way to it. Safe for use by several
 * threads.
 */
public final class Endpoints implements AutoCloseable {

  /** Webhooks that wait at once to be moved back. */
  public static final int MAX_REWINDS = 16;

  /** How often endpoints are looked up that have failed for too long without being tried. */
  private static final Duration LOOK = Duration.ofHours(1);

  /** By then every due endpoint has been tried, unless its host has not answered at all. */
  private static final Duration ALL_TRIED_AFTER = BackOff.LONGEST_RETRY_AFTER;

  /** Endpoints that have failed for too long, disabled in one step. */
  private static final int DISABLED_AT_ONCE = 500;

  private static final Logger log = LoggerFactory.getLogger(Endpoints.class);

  private final Webhooks webhooks;
  private final Store store;
  private final LogFollowers followers;
  private final EndpointSink.Means means;
  private final Pump pump;
  private final Instant startedAt;
  private final EndpointTrials trials;

  /** Guarded by the map. */
  private boolean closed;

  /** The endpoints that are served, by their ids; guarded by itself. */
  private final Map<Long, Served> served = new HashMap<>();

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   * @param random for the ids of test events
   */
  public Endpoints(
      Store store,
      LogFollowers followers,
      EndpointSink.Means means,
      Executor executor,
      RandomGenerator random) {
    this.store = store;
    this.followers = followers;
    this.means = means;
    trials = new EndpointTrials(means, random);
    webhooks = store.webhooks();
    startedAt = means.now();
    pump = new Pump("webhooks", this::step, executor, means.timer());
  }

  /** Webhooks to be moved back; guarded by the map. */
  private final List<Rewind> rewinds = new ArrayList<>();

  private static final class Served {
    final EndpointSink sink;
    final LogFollower follower;

    /** Only the pump's step touches this field and {@link #ending}. */
    long revision;

    boolean ending;

    /** Where its follower was when it ended; absent before that. Guarded by the map. */
    @Nullable LogConsumer ended;

    Served(EndpointSink sink, LogFollower follower, long revision) {
      this.sink = sink;
      this.follower = follower;
      this.revision = revision;
    }
  }

  /** Serves the active endpoints, and others as soon as they become active. */
  public void start() {
    store.onChange(Change.WEBHOOK, pump::wake);
    pump.start();
  }

  /** Endpoints that are served at present. */
  public int count() {
    synchronized (served) {
      return served.size();
    }
  }

  /** An endpoint that waits for its next attempt is tried at once; its failures stay counted. */
  public void retry(long id) {
    find(id).ifPresent(one -> one.follower.retryNow());
  }

  private Optional<Served> find(long id) {
    synchronized (served) {
      return Optional.ofNullable(served.get(id));
    }
  }

  /**
   * Has a webhook get the events after a position again: its follower ends, and another one begins
   * there. Messages have the ids that they had.
   *
   * @param after a position at which the webhook is, or has been
   * @return completes once that is recorded, with whether there is such a webhook
   * @throws RejectedExecutionException if {@link #MAX_REWINDS} are waiting
   */
  public CompletableFuture<Boolean> rewind(long id, long after) {
    Rewind rewind = new Rewind(id, after, new CompletableFuture<>());
    synchronized (served) {
      if (closed || rewinds.size() >= MAX_REWINDS) {
        throw new RejectedExecutionException("too many webhooks are to be moved back");
      }
      rewinds.add(rewind);
    }
    pump.wake();
    return rewind.done();
  }

  /** Ends the followers of webhooks that are moved back, which then have none. */
  private void rewindThoseAsked() {
    List<Rewind> possible;
    synchronized (served) {
      possible = rewinds.stream().filter(one -> !served.containsKey(one.id())).toList();
      rewinds.removeAll(possible);
    }
    possible.forEach(one -> one.run(store.consumers(), means.now()));
    List<Rewind> waiting;
    synchronized (served) {
      waiting = List.copyOf(rewinds);
    }
    waiting.forEach(one -> find(one.id()).ifPresent(found -> end(one.id(), found)));
  }

  /** Single messages, at an operator's request. */
  public EndpointTrials trials() {
    return trials;
  }

  /** Brings the served endpoints in line with the store. */
  private Optional<Instant> step() {
    forgetEnded();
    rewindThoseAsked();
    Map<Long, Long> active = webhooks.active();
    for (Map.Entry<Long, Served> one : snapshot().entrySet()) {
      Long revision = active.remove(one.getKey());
      if (revision == null) {
        end(one.getKey(), one.getValue());
      } else if (revision != one.getValue().revision && !one.getValue().ending) {
        refresh(one.getKey(), one.getValue());
      }
    }
    active.keySet().forEach(this::beginOrSay);
    disableThoseWhoFailed();
    return Optional.of(means.now().plus(LOOK));
  }

  /**
   * Lets go of endpoints whose followers have ended. For an endpoint that has another receiver now,
   * the last failures do not count.
   */
  private void forgetEnded() {
    for (Map.Entry<Long, Served> one : snapshot().entrySet()) {
      LogConsumer last = endOf(one.getValue());
      if (last == null) {
        continue;
      }
      Webhook.Terms called = one.getValue().sink.endpoint().webhook().terms();
      boolean moved =
          webhooks
              .byId(one.getKey())
              .filter(webhook -> !webhook.terms().hasReceiverOf(called))
              .isPresent();
      if (moved && last.attempts() > 0) {
        store.consumers().move(List.of(last.afresh(means.now()))).join();
      }
      synchronized (served) {
        served.remove(one.getKey());
      }
    }
  }

  private @Nullable LogConsumer endOf(Served one) {
    synchronized (served) {
      return one.ended;
    }
  }

  private Map<Long, Served> snapshot() {
    synchronized (served) {
      return new HashMap<>(served);
    }
  }

  /** A failure to serve one endpoint does not affect the others. */
  private void beginOrSay(long id) {
    try {
      begin(id);
    } catch (IllegalStateException e) {
      log.atError().addKeyValue("webhook", id).setCause(e).log("A webhook cannot be served");
    }
  }

  private void begin(long id) {
    Optional<Webhook> webhook =
        webhooks.byId(id).filter(one -> one.state() == Webhook.State.ACTIVE);
    Optional<LogConsumer> consumer = store.consumers().byName(Webhook.consumer(id));
    if (webhook.isEmpty() || consumer.isEmpty()) {
      // Changed just now, which wakes the pump again.
      return;
    }
    WebhookEndpoint endpoint = WebhookEndpoint.of(webhook.get());
    EndpointSink sink = new EndpointSink(means, endpoint);
    LogFollower follower = followers.follow(consumer.get(), endpoint.scope(), sink);
    synchronized (served) {
      served.put(id, new Served(sink, follower, webhook.get().revision()));
    }
  }

  /**
   * Follows the log anew, from the same cursor, for other feeds; at another receiver failures start
   * afresh.
   */
  private void refresh(long id, Served one) {
    Optional<Webhook> webhook = webhooks.byId(id);
    if (webhook.isEmpty()) {
      return;
    }
    WebhookEndpoint endpoint = WebhookEndpoint.of(webhook.get());
    if (endpoint.scope().equals(one.sink.endpoint().scope())) {
      boolean moved = !endpoint.isAt(one.sink.endpoint());
      one.sink.use(endpoint);
      if (moved) {
        one.follower.afresh();
      }
      one.revision = webhook.get().revision();
    } else {
      end(id, one);
    }
  }

  private void end(long id, Served one) {
    if (one.ending) {
      return;
    }
    one.ending = true;
    one.sink.close();
    var unused =
        one.follower
            .stop()
            .whenComplete(
                (last, failure) -> {
                  synchronized (served) {
                    if (failure == null) {
                      one.ended = last;
                    } else {
                      served.remove(id);
                    }
                  }
                  pump.wake();
                });
  }

  /** Disables endpoints whose hosts are only probed, so that they are not tried themselves. */
  private void disableThoseWhoFailed() {
    Instant now = means.now();
    if (startedAt.plus(ALL_TRIED_AFTER).isAfter(now)) {
      return;
    }
    List<Served> failed = new ArrayList<>();
    for (long id :
        webhooks.failingSinceBefore(now.minus(EndpointSink.LONGEST_FAILURE), DISABLED_AT_ONCE)) {
      find(id).ifPresent(failed::add);
    }
    for (Served one : failed) {
      one.sink.disable(one.sink.endpoint(), EndpointSink.FAILED_FOR_LONG).join();
    }
  }

  /**
   * Begins no further document; documents under way end with the followers, which the caller closes
   * after this.
   */
  @Override
  public void close() {
    pump.close();
    snapshot().values().forEach(one -> one.sink.close());
    List<Rewind> left;
    synchronized (served) {
      closed = true;
      left = List.copyOf(rewinds);
    }
    left.forEach(
        one ->
            one.done()
                .completeExceptionally(new RejectedExecutionException("the gateway is stopping")));
  }
}
