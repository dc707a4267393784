package io.feedbridge.gateway.web.console.view;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Texts of times, numbers and names, as the pages show them at one moment. Immutable.
 *
 * @param now the time from which others are counted
 */
public record Text(Instant now) {

  private static final DateTimeFormatter EXACT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final int SOON = 10;
  private static final int KIBI = 1024;

  /** A time as seen from now, such as "5 min ago" or "in 2 h". */
  public String relative(Instant time) {
    Duration ago = Duration.between(time, now);
    String length = duration(ago.abs());
    if (ago.abs().toSeconds() < SOON) {
      return "just now";
    }
    return ago.isNegative() ? "in " + length : length + " ago";
  }

  /** A length of time in its largest unit. */
  public static String duration(Duration length) {
    if (length.toDays() > 1) {
      return length.toDays() + " days";
    }
    if (length.toHours() > 1) {
      return length.toHours() + " h";
    }
    if (length.toMinutes() > 1) {
      return length.toMinutes() + " min";
    }
    return length.toSeconds() + " s";
  }

  /** A time to the second, in UTC. */
  public static String exact(Instant time) {
    return EXACT.format(time);
  }

  /** A number with its thousands separated. */
  public static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A number of things, such as "1 feed" or "2 feeds". */
  public static String count(long number, String thing) {
    return number(number) + " " + thing + (number == 1 ? "" : "s");
  }

  /** A number of bytes with its unit. */
  public static String bytes(long bytes) {
    if (bytes < KIBI) {
      return bytes + " B";
    }
    double size = bytes;
    int unit = 0;
    while (size >= KIBI && unit < 3) {
      size /= KIBI;
      unit++;
    }
    return String.format(
        Locale.ROOT, "%.1f %s", size, new String[] {"B", "KiB", "MiB", "GiB"}[unit]);
  }

  /** A length of time in milliseconds, with its unit. */
  public static String millis(@Nullable Long millis) {
    if (millis == null) {
      return "";
    }
    return millis < 10_000 ? number(millis) + " ms" : number(millis / 1000) + " s";
  }

  /** A word of the API in the spelling of the pages. */
  public static String word(@Nullable String word) {
    return switch (String.valueOf(word)) {
      case "null" -> "";
      case "websub" -> "WebSub";
      case "rsscloud" -> "rssCloud";
      case "webhook" -> "Webhook";
      case "poll" -> "Polling";
      default -> String.valueOf(word).replace('_', ' ');
    };
  }

  /** Whether a URL is one of the web, which a page may link to. */
  public static boolean isWeb(@Nullable String url) {
    if (url == null) {
      return false;
    }
    String lower = url.toLowerCase(Locale.ROOT);
    return lower.startsWith("http://") || lower.startsWith("https://");
  }

  /** The style of a state: good, warning, bad or plain. */
  public static String tone(String state) {
    return switch (state) {
      case "active", "answering", "delivered", "trusted", "followed", "ok", "prompt" -> "good";
      case "lagging",
          "pending",
          "new",
          "demoted",
          "known",
          "under_way",
          "behind",
          "silent",
          "slow",
          "disabled",
          "note",
          "waiting" ->
          "warn";
      case "error", "gone", "refused", "forbidden", "failed", "down" -> "bad";
      case "ended",
          "expired",
          "denied",
          "passed",
          "filtered",
          "too_early",
          "duplicate",
          "unproven",
          "unknown" ->
          "plain";
      default -> "bad";
    };
  }
}
