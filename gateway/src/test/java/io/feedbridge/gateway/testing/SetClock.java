package io.feedbridge.gateway.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The system's time, and the offset that a test sets. Thread-safe. */
public final class SetClock extends Clock {

  private volatile Duration offset = Duration.ZERO;

  /** Sets the clock to the system's time plus an offset. */
  public void set(Duration offset) {
    this.offset = offset;
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(offset);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
