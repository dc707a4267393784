package io.feedbridge.gateway.metrics;

import io.feedbridge.gateway.schedule.Timer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The counts of each minute of the last day, read off the counters once a minute, so that counting
 * costs the way of the data nothing. They begin anew with the process. Safe for use by several
 * threads.
 */
public final class Curves implements AutoCloseable {

  /** Minutes that are kept. */
  public static final int MAX_POINTS = 1_440;

  static final Duration STEP = Duration.ofMinutes(1);

  private static final String OUTCOME = "outcome";

  private final MeterRegistry registry;
  private final FirstDeliveries firstDeliveries;
  private final Timer timer;
  private final Deque<Point> points = new ArrayDeque<>();
  private Point last;
  private Timer.@Nullable Scheduled next;

  /**
   * Counts of a span of time.
   *
   * @param from the beginning of the span, which ends where the next one begins
   * @param pings reports that a feed changed
   * @param entries appended to the log, new or changed
   * @param failedFetches a part of the fetches
   * @param delivered attempts to deliver that were confirmed
   * @param failedDeliveries other attempts
   * @param firstDeliveryP50 median time from a ping to the first delivery of the change, in
   *     milliseconds; null where nothing was delivered after a ping
   * @param firstDeliveryP99 the time within which 99 % of these deliveries came
   */
  public record Point(
      Instant from,
      long pings,
      long entries,
      long fetches,
      long failedFetches,
      long delivered,
      long failedDeliveries,
      @Nullable Long firstDeliveryP50,
      @Nullable Long firstDeliveryP99) {

    private Point since(Point before) {
      return new Point(
          before.from,
          pings - before.pings,
          entries - before.entries,
          fetches - before.fetches,
          failedFetches - before.failedFetches,
          delivered - before.delivered,
          failedDeliveries - before.failedDeliveries,
          firstDeliveryP50,
          firstDeliveryP99);
    }
  }

  /**
   * Of the counters in a registry; {@link #start} begins.
   *
   * @param firstDeliveries the times from pings to deliveries
   */
  public Curves(MeterRegistry registry, FirstDeliveries firstDeliveries, Timer timer) {
    this.registry = registry;
    this.firstDeliveries = firstDeliveries;
    this.timer = timer;
    last = totals(timer.clock().instant());
  }

  /** Begins to count. */
  public synchronized void start() {
    Instant now = timer.clock().instant();
    last = totals(now);
    next = timer.at(now.plus(STEP), this::minute);
  }

  private synchronized void minute() {
    if (next == null) {
      return;
    }
    Instant now = timer.clock().instant();
    Point totals = totals(now);
    points.addLast(totals.since(last));
    if (points.size() > MAX_POINTS) {
      points.removeFirst();
    }
    last = totals;
    next = timer.at(now.plus(STEP), this::minute);
  }

  /** The spans that begin at a time or later, and the span that has not ended yet. */
  public synchronized List<Point> since(Instant since) {
    List<Point> wanted = new ArrayList<>();
    for (Point point : points) {
      if (!point.from.isBefore(since)) {
        wanted.add(point);
      }
    }
    wanted.add(totals(timer.clock().instant()).since(last));
    return wanted;
  }

  /** All counts since the start of the process, in a point that begins now. */
  private Point totals(Instant now) {
    FirstDeliveries.Recent times = firstDeliveries.recent();
    long delivered = sum("feedbridge.deliveries", outcome("delivered"));
    return new Point(
        now,
        sum("feedbridge.pings", one -> true),
        sum("feedbridge.entries", one -> true),
        sum("feedbridge.fetches.total", one -> true),
        sum("feedbridge.fetches.total", outcome("failed")),
        delivered,
        sum("feedbridge.deliveries", one -> true) - delivered,
        boxed(times.median()),
        boxed(times.nearlyAll()));
  }

  private static @Nullable Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private static Predicate<Counter> outcome(String outcome) {
    return one -> outcome.equals(one.getId().getTag(OUTCOME));
  }

  private long sum(String name, Predicate<Counter> which) {
    return registry.find(name).counters().stream()
        .filter(which)
        .mapToLong(one -> (long) one.count())
        .sum();
  }

  @Override
  public synchronized void close() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }
}
