package io.feedbridge.gateway.load;

import io.feedbridge.gateway.load.SoakWorld.Feed;
import io.feedbridge.gateway.load.SoakWorld.Way;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What goes on in a {@link SoakWorld}: publishers, subscriptions that come and go, hosts that
 * misbehave, and clients that do.
 */
final class SoakTraffic implements AutoCloseable {

  private static final Duration PUBLISH_EVERY = Duration.ofMillis(100);
  private static final Duration SUBSCRIBE_EVERY = Duration.ofMillis(400);
  private static final Duration FAULT_EVERY = Duration.ofSeconds(3);
  private static final Duration NUISANCE_EVERY = Duration.ofMillis(200);

  /** How long a subscription lasts that comes and goes. */
  private static final Duration SHORTEST_STAY = Duration.ofSeconds(60);

  private static final Duration LONGEST_STAY = Duration.ofSeconds(100);

  /** After its confirmation a subscription is active within this. */
  private static final Duration BEGINS_WITHIN = Duration.ofSeconds(10);

  /** What was acknowledged so long ago is there, at a host that is well. */
  private static final Duration ARRIVES_WITHIN = Duration.ofSeconds(30);

  private final GatewayProcess gateway;
  private final SoakWorld world;
  private final Random random = new Random(1);
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(6);
  private final ScheduledExecutorService faultThread = Executors.newScheduledThreadPool(1);
  private final Faults faults;
  private final Map<String, Feed> staying = new ConcurrentHashMap<>();
  private final AtomicInteger published = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger came = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger broken = new AtomicInteger();
  private volatile boolean paused = true;

  SoakTraffic(GatewayProcess gateway, SoakWorld world) {
    this.gateway = gateway;
    this.world = world;
    faults = new Faults(world.faulty, faultThread, random);
    every(PUBLISH_EVERY, threads, this::publish);
    every(SUBSCRIBE_EVERY, threads, this::come);
    every(NUISANCE_EVERY, threads, this::annoy);
    every(FAULT_EVERY, faultThread, faults::inject);
  }

  private void every(Duration period, ScheduledExecutorService thread, Runnable action) {
    var unused =
        thread.scheduleAtFixedRate(
            () -> {
              if (!paused) {
                attempt(action);
              }
            },
            period.toMillis(),
            period.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** One that fails must not end all that come after it. */
  private void attempt(Runnable action) {
    try {
      action.run();
    } catch (CompletionException | UncheckedIOException | IllegalStateException e) {
      broken.incrementAndGet();
      System.out.println("[soak] the load could not be made: " + e);
    }
  }

  void go() {
    paused = false;
  }

  /** Begins nothing more; what misbehaves heals within seconds. */
  void pause() {
    paused = true;
  }

  boolean isQuiet() {
    return faults.underWay(world.faulty.size()) == 0;
  }

  private <T> T one(List<T> of) {
    synchronized (random) {
      return of.get(random.nextInt(of.size()));
    }
  }

  private void publish() {
    if (world.publish(gateway, one(world.feeds))) {
      published.incrementAndGet();
    } else {
      refused.incrementAndGet();
    }
  }

  private void come() {
    Feed feed = one(world.feeds);
    if (feed.way() == Way.POLL) {
      return;
    }
    String callback = one(world.churning).url("stay-" + came.incrementAndGet());
    world.judge.expect(callback, feed.number(), false);
    staying.put(callback, feed);
    SoakWorld.request(gateway, "subscribe", feed, callback).join();
    long stay;
    synchronized (random) {
      stay = random.nextLong(SHORTEST_STAY.toMillis(), LONGEST_STAY.toMillis());
    }
    var unused = threads.schedule(() -> attempt(() -> go(callback)), stay, TimeUnit.MILLISECONDS);
  }

  private void go(String callback) {
    Feed feed = staying.remove(callback);
    if (feed == null) {
      return;
    }
    long confirmed = world.judge.confirmedAt(callback);
    if (confirmed == Long.MAX_VALUE) {
      lost.incrementAndGet();
      System.out.println("[soak] never verified: " + callback);
    } else {
      long from = confirmed + BEGINS_WITHIN.toNanos();
      long to = System.nanoTime() - ARRIVES_WITHIN.toNanos();
      lost.addAndGet(world.judge.missing(callback, from, to));
    }
    SoakWorld.request(gateway, "unsubscribe", feed, callback).join();
    world.judge.forget(callback);
  }

  /** Whoever came leaves now. */
  void allGo() {
    staying.keySet().forEach(this::go);
  }

  private void annoy() {
    int kind;
    synchronized (random) {
      kind = random.nextInt(6);
    }
    switch (kind) {
      case 0 -> gateway.form("/hub", "hub.mode", "subscribe", "hub.topic", "no url");
      case 1 -> gateway.form("/ping", "url", "http://nobody.example/follows-this");
      case 2 -> gateway.form("/no-such-path", "a", "b");
      case 3 ->
          cutOff("POST /hub HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhub.mode", false);
      case 4 -> cutOff("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", true);
      default -> gateway.metrics();
    }
  }

  /** Sends some bytes and closes, or resets, the connection without reading anything. */
  private void cutOff(String bytes, boolean reset) {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), URI.create(gateway.url("/")).getPort())) {
      socket.setSoLinger(reset, 0);
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int published() {
    return published.get();
  }

  /** Publishes and pings that were not answered 2xx. */
  int refused() {
    return refused.get();
  }

  /** Subscriptions that came, most of them gone again. */
  int came() {
    return came.get();
  }

  /** Entries that somebody missed who has gone. */
  int lost() {
    return lost.get();
  }

  /** What of the load could not be made. */
  int broken() {
    return broken.get();
  }

  int faults() {
    return faults.injected();
  }

  @Override
  public void close() {
    threads.shutdownNow();
    faultThread.shutdownNow();
  }
}
