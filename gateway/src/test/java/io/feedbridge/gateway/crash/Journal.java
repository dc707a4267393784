package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.schedule.Waits;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** All facts in the order in which they were seen; only ever appended to. For several threads. */
final class Journal {

  private final Clock clock;
  private final List<Line> lines = new ArrayList<>();
  private long deliveries;

  Journal() {
    this(Clock.systemUTC());
  }

  Journal(Clock clock) {
    this.clock = clock;
  }

  /**
   * A fact.
   *
   * @param number its place, from 0
   * @param millis when, since the epoch
   */
  record Line(int number, long millis, Fact fact) {}

  synchronized Line add(Fact fact) {
    Line line = new Line(lines.size(), clock.millis(), fact);
    lines.add(line);
    if (fact instanceof Fact.Arrived) {
      deliveries++;
    }
    notifyAll();
    return line;
  }

  synchronized List<Line> lines() {
    return List.copyOf(lines);
  }

  synchronized long deliveries() {
    return deliveries;
  }

  /** Waits for a condition that facts, or others who notify, make true. */
  boolean await(BooleanSupplier condition, Duration atMost) {
    return Waits.until(this, condition, atMost);
  }
}
