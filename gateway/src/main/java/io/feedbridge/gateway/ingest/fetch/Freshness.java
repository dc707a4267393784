package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.client.Headers;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long an answer says that it stays as it is (RFC 9111 §4.2). */
final class Freshness {

  private static final Pattern MAX_AGE =
      Pattern.compile("(?:^|[\\s,])max-age\\s*=\\s*\"?(\\d{1,18})");
  private static final Pattern UNCACHED = Pattern.compile("(?:^|[\\s,])no-(?:cache|store)\\b");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  /** The longest time in seconds that counts; sums with it do not overflow. */
  private static final long LONGEST_SECONDS = Duration.ofDays(3650).toSeconds();

  private Freshness() {}

  /** The rest of it; empty where the answer does not say, or is not to be kept at all. */
  static Optional<Duration> of(Headers headers, Instant now) {
    String control = String.join(", ", headers.all("Cache-Control")).toLowerCase(Locale.ROOT);
    if (UNCACHED.matcher(control).find()) {
      return Optional.empty();
    }
    Matcher maxAge = MAX_AGE.matcher(control);
    Optional<Duration> fresh =
        maxAge.find()
            ? Optional.of(seconds(maxAge.group(1)).minus(age(headers)))
            : headers.first("Expires").flatMap(text -> untilExpiry(text, headers, now));
    return fresh.filter(time -> !time.isNegative() && !time.isZero());
  }

  private static Optional<Duration> untilExpiry(String text, Headers headers, Instant now) {
    // Its own clock counts: that of many a server is wrong.
    Instant sent = headers.first("Date").flatMap(Freshness::date).orElse(now);
    return date(text).map(expires -> Duration.between(sent, expires));
  }

  private static Duration age(Headers headers) {
    return headers
        .first("Age")
        .map(String::strip)
        .filter(text -> NUMBER.matcher(text).matches())
        .map(Freshness::seconds)
        .orElse(Duration.ZERO);
  }

  private static Duration seconds(String digits) {
    return Duration.ofSeconds(Math.min(Long.parseLong(digits), LONGEST_SECONDS));
  }

  static Optional<Instant> date(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeException noDate) {
      return Optional.empty();
    }
  }
}
