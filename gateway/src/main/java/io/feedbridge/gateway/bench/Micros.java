package io.feedbridge.gateway.bench;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Times that several processes can compare: microseconds since the epoch. */
final class Micros {

  static final long SECOND = 1_000_000;

  private Micros() {}

  static long of(Instant instant) {
    return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + instant.getNano() / 1_000;
  }
}
