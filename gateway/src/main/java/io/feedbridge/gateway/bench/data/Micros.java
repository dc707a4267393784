package io.feedbridge.gateway.bench.data;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Times that several processes can compare: microseconds since the epoch. */
public final class Micros {

  public static final long SECOND = 1_000_000;

  private Micros() {}

  public static long of(Instant instant) {
    return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + instant.getNano() / 1_000;
  }
}
