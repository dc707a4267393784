package io.feedbridge.websub;

import java.time.Duration;
import java.util.Optional;

/** The value of {@code hub.lease_seconds}. */
final class LeaseSeconds {
  /** The value of a longer request: beyond any policy, and safe to calculate with. */
  static final Duration LONGEST = Duration.ofDays(36_500);

  private static final int MAX_DIGITS = 18;

  private LeaseSeconds() {}

  /** The lease, or none for 0, which PubSubHubbub 0.3 uses for "the hub may choose". */
  static Optional<Duration> parse(String value) throws BadHubRequestException {
    String digits = value.strip();
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new BadHubRequestException(
          HubParameter.LEASE_SECONDS
              + " must be a whole number of seconds, not "
              + Parameters.quoted(value));
    }
    if (digits.length() > MAX_DIGITS) {
      return Optional.of(LONGEST);
    }
    Duration lease = Duration.ofSeconds(Long.parseLong(digits));
    if (lease.isZero()) {
      return Optional.empty();
    }
    return Optional.of(lease.compareTo(LONGEST) > 0 ? LONGEST : lease);
  }

  static String format(Duration lease) {
    return Long.toString(lease.toSeconds());
  }
}
