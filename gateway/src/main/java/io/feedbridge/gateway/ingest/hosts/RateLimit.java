package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The requests that an answer leaves: {@code X-RateLimit-*}, {@code RateLimit-*}, and {@code
 * RateLimit} in its old and its new form. Of several limits the tightest counts. The values are the
 * server's, and have no bound here.
 *
 * @param remaining requests that are left until the reset; null if the answer does not say
 * @param reset the time until the count begins anew; null if the answer does not say
 */
public record RateLimit(@Nullable Long remaining, @Nullable Duration reset) {

  /** An answer without a limit. */
  public static final RateLimit NONE = new RateLimit(null, null);

  private static final List<String> FAMILIES = List.of("x-ratelimit", "ratelimit", "x-rate-limit");

  /** The most limits of one field that are read. */
  private static final int MOST = 8;

  /** The longest field that is read, in characters. */
  private static final int LONGEST = 1_000;

  private static final Pattern NUMBER =
      Pattern.compile("\\s*(\\d{1,15})(?:\\.\\d*)?(?:[\\s,;].*)?");
  private static final Pattern OLD_REMAINING = Pattern.compile("\\bremaining\\s*=\\s*(\\d{1,15})");
  private static final Pattern OLD_RESET = Pattern.compile("\\breset\\s*=\\s*(\\d{1,15})");
  private static final Pattern NEW_REMAINING = Pattern.compile(";\\s*r=(\\d{1,15})");
  private static final Pattern NEW_RESET = Pattern.compile(";\\s*t=(\\d{1,15})");

  /** A reset from this number on is seconds since 1970, and from a thousand times it, millis. */
  private static final long EPOCH = 1_000_000_000;

  private static final long EPOCH_MILLIS = EPOCH * 1_000;

  /**
   * Reads the fields of an answer.
   *
   * @param fields all values of the field of a name, which is compared without regard to case
   */
  public static RateLimit of(Function<String, List<String>> fields, Instant now) {
    return Stream.concat(
            FAMILIES.stream()
                .map(
                    family ->
                        new RateLimit(
                            number(fields.apply(family + "-remaining")).orElse(null),
                            number(fields.apply(family + "-reset"))
                                .map(reset -> until(reset, now))
                                .orElse(null))),
            fields.apply("ratelimit").stream().limit(MOST).flatMap(RateLimit::combined))
        .reduce(NONE, RateLimit::tighter);
  }

  /** Whether no request is left until a known time. */
  boolean isSpent() {
    return remaining != null && remaining == 0 && reset != null;
  }

  /** Whether so few requests are left that they are spread until the reset. */
  boolean isFew() {
    return remaining != null && remaining <= OriginWindow.MOST && reset != null;
  }

  private static Stream<RateLimit> combined(String field) {
    String text = field.length() > LONGEST ? field.substring(0, LONGEST) : field;
    Optional<Long> remaining = found(OLD_REMAINING, text);
    if (remaining.isPresent()) {
      return Stream.of(limit(remaining, found(OLD_RESET, text)));
    }
    return Stream.of(text.split(",", MOST))
        .map(one -> limit(found(NEW_REMAINING, one), found(NEW_RESET, one)));
  }

  private static RateLimit limit(Optional<Long> remaining, Optional<Long> seconds) {
    return new RateLimit(remaining.orElse(null), seconds.map(Duration::ofSeconds).orElse(null));
  }

  private static Optional<Long> number(List<String> values) {
    return values.stream()
        .findFirst()
        .filter(value -> value.length() <= LONGEST)
        .map(NUMBER::matcher)
        .filter(Matcher::matches)
        .map(matcher -> Long.parseLong(matcher.group(1)));
  }

  private static Optional<Long> found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(Long.parseLong(matcher.group(1))) : Optional.empty();
  }

  private static Duration until(long reset, Instant now) {
    if (reset < EPOCH) {
      return Duration.ofSeconds(reset);
    }
    Instant at = reset < EPOCH_MILLIS ? Instant.ofEpochSecond(reset) : Instant.ofEpochMilli(reset);
    return at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO;
  }

  private static RateLimit tighter(RateLimit one, RateLimit other) {
    if (one.remaining == null || other.remaining == null) {
      return other.remaining == null && (one.remaining != null || one.reset != null) ? one : other;
    }
    int order = one.remaining.compareTo(other.remaining);
    return order < 0 || (order == 0 && one.resets().compareTo(other.resets()) >= 0) ? one : other;
  }

  private Duration resets() {
    return reset == null ? Duration.ZERO : reset;
  }
}
