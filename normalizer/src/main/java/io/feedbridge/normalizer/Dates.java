package io.feedbridge.normalizer;

import com.rometools.rome.io.impl.DateParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Dates as feeds write them. The two forms that nearly all have, RFC 822 and W3C-DTF with their
 * usual slips, are read here; others by {@link OtherDates}, and the rest is left to Rome, whose
 * parser tries a score of formats anew for every date. A date without a zone is in GMT.
 */
final class Dates {
  private static final int MAX_LENGTH = 100;
  private static final int MAX_YEAR = 9999;

  private static final String TIME =
      "(?:(\\d{1,2})[:.](\\d{2})(?:[:.](\\d{2})(?:[.,](\\d{0,9})\\d*)?)?)?\\s*"
          + "((?![AaPp][Mm]\\b)[A-Za-z]{1,5})?\\s*([+-]\\d{2}:?\\d{2}|[+-]\\d{1,2})?";
  private static final Pattern RFC_822 =
      Pattern.compile(
          "(?:[A-Za-z]+\\.?,?\\s*)?(\\d{1,2})[\\s-]+([A-Za-z]{3,9})\\.?,?[\\s-]+(\\d{4}|\\d{2}),?\\s*"
              + TIME);
  private static final Pattern W3C_DTF =
      Pattern.compile("(\\d{4})(?:-?(\\d{2})(?:-?(\\d{2})(?:[T\\s_]?\\s*" + TIME + ")?)?)?");
  private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

  private Dates() {}

  /** The instant, or null for a text that is no date between the years 1 and 9999. */
  static @Nullable Instant parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    // Some write the sign of an offset as typographers do
    String date = text.trim().replace('\u2212', '-');
    if (date.isEmpty() || date.length() > MAX_LENGTH) {
      return null;
    }
    try {
      Matcher w3c = W3C_DTF.matcher(date);
      if (w3c.matches()) {
        return at(number(w3c, 1, 0), number(w3c, 2, 1), number(w3c, 3, 1), w3c);
      }
      Matcher rfc = RFC_822.matcher(date);
      if (rfc.matches()) {
        int month = MONTHS.indexOf(rfc.group(2).substring(0, 3).toLowerCase(Locale.ROOT));
        if (month >= 0 && month % 3 == 0) {
          return at(year(rfc.group(3)), month / 3 + 1, number(rfc, 1, 1), rfc);
        }
      }
    } catch (DateTimeException impossible) {
      return null;
    }
    Instant other = OtherDates.parse(date);
    if (other != null) {
      return within(other);
    }
    Date guessed = DateParser.parseDate(date, Locale.US);
    return guessed == null ? null : within(guessed.toInstant());
  }

  private static @Nullable Instant at(int year, int month, int day, Matcher time) {
    String fraction = time.group(7);
    LocalDateTime local =
        local(
            year,
            month,
            day,
            number(time, 4, 0),
            number(time, 5, 0),
            number(time, 6, 0),
            fraction == null ? 0 : nanos(fraction));
    return within(local.atZone(zone(time)).toInstant());
  }

  /** A leap second is the one before; 24:00 is the end of that day (ISO 8601). */
  static LocalDateTime local(
      int year, int month, int day, int hour, int minute, int second, int nanos) {
    return LocalDateTime.of(
            year, month, day, hour == 24 ? 0 : hour, minute, Math.min(second, 59), nanos)
        .plusDays(hour == 24 ? 1 : 0);
  }

  /** Of the digits of a fraction of a second, of which there are at most nine. */
  static int nanos(String fraction) {
    return Integer.parseInt((fraction + "000000000").substring(0, 9));
  }

  private static ZoneId zone(Matcher time) {
    String offset = time.group(9);
    if (offset != null) {
      String digits = offset.substring(1).replace(":", "");
      int value = Integer.parseInt(digits);
      long minutes = digits.length() <= 2 ? value * 60L : value / 100 * 60L + value % 100;
      return Zones.ahead(offset.charAt(0) == '-' ? -minutes : minutes);
    }
    String name = time.group(8);
    ZoneId zone = name == null ? null : Zones.named(name);
    return zone == null ? ZoneOffset.UTC : zone;
  }

  private static int number(Matcher matcher, int group, int otherwise) {
    String digits = matcher.group(group);
    return digits == null ? otherwise : Integer.parseInt(digits);
  }

  /** Two digits as RFC 2822 §4.3 reads them. */
  static int year(String digits) {
    int year = Integer.parseInt(digits);
    return digits.length() > 2 ? year : year < 50 ? 2000 + year : 1900 + year;
  }

  private static @Nullable Instant within(Instant instant) {
    int year = instant.atOffset(ZoneOffset.UTC).getYear();
    return year >= 1 && year <= MAX_YEAR ? instant : null;
  }
}
