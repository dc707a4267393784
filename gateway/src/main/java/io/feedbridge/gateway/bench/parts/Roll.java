package io.feedbridge.gateway.bench.parts;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The received events by subscription, while a batch is delivered: missing deliveries, duplicates,
 * and the time of each delivery. For one thread, the sink's event loop.
 */
final class Roll {

  /** The newest event of each subscription. */
  private final long[] newest;

  /** Deliveries of this batch to each subscription. */
  private final short[] got;

  /** When each delivery of the batch came, after the batch began, in nanoseconds. */
  private long[] arrivals = {};

  private int received;
  private int expected;
  private int each;
  private long begun;
  private long begunMicros;
  private long doubled;
  private long wrong;
  private long checked;
  private String firstWrong = "";
  private CompletableFuture<Arrivals> complete = new CompletableFuture<>();

  Roll(int subscriptions) {
    newest = new long[subscriptions];
    got = new short[subscriptions];
  }

  /**
   * The arrival times of a batch, in microseconds since the epoch, and the faults of its
   * deliveries.
   *
   * @param received deliveries, each counted once
   * @param doubled deliveries that had come before, since the sink began
   * @param wrong faulty deliveries since the sink began
   * @param checked deliveries since the sink began of which the signature was computed
   * @param complaint the fault of the first faulty delivery; empty for none
   */
  record Arrivals(
      int received,
      long first,
      long last,
      long p50,
      long p90,
      long p99,
      long doubled,
      long wrong,
      long checked,
      String complaint) {}

  /**
   * Begins a batch, in which each subscription is to get so many events.
   *
   * @param subscriptions the number of subscriptions that are to get events, from 0 on
   */
  CompletableFuture<Arrivals> begin(
      int subscriptions, int eventsEach, long nowNanos, long nowMicros) {
    Arrays.fill(got, (short) 0);
    each = eventsEach;
    expected = subscriptions * eventsEach;
    received = 0;
    if (arrivals.length < expected) {
      arrivals = new long[expected];
    }
    begun = nowNanos;
    begunMicros = nowMicros;
    complete = new CompletableFuture<>();
    return complete;
  }

  /** A delivery came. */
  void came(int subscription, long event, long nowNanos) {
    if (subscription < 0 || subscription >= newest.length) {
      wrong("no subscription has the number " + subscription);
      return;
    }
    if (event <= newest[subscription]) {
      doubled++;
      return;
    }
    newest[subscription] = event;
    got[subscription]++;
    if (got[subscription] > each || received == expected) {
      wrong("subscription %d got more events than there were".formatted(subscription));
      return;
    }
    arrivals[received] = nowNanos - begun;
    received++;
    if (received == expected) {
      complete.complete(arrivals());
    }
  }

  /** The signature of a delivery was computed. */
  void checked() {
    checked++;
  }

  /** Counts a faulty delivery. */
  void wrong(String complaint) {
    if (wrong == 0) {
      firstWrong = complaint;
    }
    wrong++;
  }

  int received() {
    return received;
  }

  /** The deliveries so far; they came in the order of their times. */
  Arrivals arrivals() {
    return new Arrivals(
        received, at(0), at(1), at(0.5), at(0.9), at(0.99), doubled, wrong, checked, firstWrong);
  }

  private long at(double part) {
    if (received == 0) {
      return 0;
    }
    int index = (int) Math.min(received - 1L, (long) (part * received));
    return begunMicros + arrivals[index] / 1_000;
  }
}
