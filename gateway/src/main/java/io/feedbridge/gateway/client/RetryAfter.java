package io.feedbridge.gateway.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The Retry-After of an answer, in both of its forms (RFC 9110 §10.2.3). */
public final class RetryAfter {

  private static final int MAX_DIGITS = 9;

  private RetryAfter() {}

  /** How long to wait; empty if the field is missing or invalid. */
  public static Optional<Duration> of(Reply reply, Instant now) {
    return reply.headers().first("Retry-After").map(String::strip).flatMap(text -> read(text, now));
  }

  private static Optional<Duration> read(String text, Instant now) {
    if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      String seconds = text.length() > MAX_DIGITS ? "9".repeat(MAX_DIGITS) : text;
      return Optional.of(Duration.ofSeconds(Long.parseLong(seconds)));
    }
    try {
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Optional.of(Duration.between(now, date)).filter(wait -> !wait.isNegative());
    } catch (DateTimeException noDate) {
      return Optional.empty();
    }
  }
}
