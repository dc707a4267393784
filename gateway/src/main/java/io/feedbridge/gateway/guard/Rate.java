package io.feedbridge.gateway.guard;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * So many in a time: at once, and then again as the time passes.
 *
 * @param count 0 for no limit
 */
public record Rate(int count, Duration time) {

  /** No limit. */
  public static final Rate NONE = new Rate(0, Duration.ofSeconds(1));

  private static final Pattern WRITTEN = Pattern.compile("([1-9]\\d{0,7})/(\\d{1,4})?([smhd])");

  public Rate {
    if (count < 0 || time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("a rate is positive");
    }
  }

  /** Reads {@code 100/1h}, {@code 100/h}, or {@code none}; empty if it is no rate. */
  public static Optional<Rate> parse(String text) {
    if (text.equals("none")) {
      return Optional.of(NONE);
    }
    Matcher written = WRITTEN.matcher(text);
    if (!written.matches()) {
      return Optional.empty();
    }
    long number = written.group(2) == null ? 1 : Long.parseLong(written.group(2));
    if (number == 0) {
      return Optional.empty();
    }
    Duration time =
        switch (written.group(3)) {
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          case "h" -> Duration.ofHours(number);
          default -> Duration.ofDays(number);
        };
    return Optional.of(new Rate(Integer.parseInt(written.group(1)), time));
  }

  /** Another count in the same time. */
  Rate times(int factor) {
    return new Rate((int) Math.min(Integer.MAX_VALUE, (long) count * factor), time);
  }

  /** A part of the count in the same time, one at least. */
  Rate over(int parts) {
    return isNone() ? this : new Rate((count + parts - 1) / parts, time);
  }

  boolean isNone() {
    return count == 0;
  }

  @Override
  public String toString() {
    return isNone()
        ? "none"
        : count + " in " + time.toString().substring(1).replace("T", "").toLowerCase(Locale.ROOT);
  }
}
