package io.feedbridge.normalizer;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rarer spellings of dates, read word by word: {@code asctime}, months in other languages, the
 * hours of a clock with twelve, numbers with dots and slashes, seconds since 1970. The parts of a
 * date may stand in any order that leaves no doubt; of two numbers that may both be the month, the
 * first is. Of two words that are months the first is a weekday ({@code mar, 09 feb}). A word that
 * is no part of a date is passed over.
 */
final class OtherDates {
  private static final Pattern CLOCK =
      Pattern.compile(
          "(?:(오전|오후|上午|下午|午前|午後)\\s*)?(?<!\\d)(\\d{1,2})[:.h時时](\\d{2})"
              + "(?:[:.m分](\\d{2})(?:[.,](\\d{1,9})\\d*)?[s秒]?)?"
              + "(?:\\s*([ap])\\.?\\s?m\\b\\.?)?",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern HOUR_ALONE =
      Pattern.compile("\\b(\\d{1,2})\\s*([ap])\\.?m\\b\\.?", Pattern.CASE_INSENSITIVE);
  private static final Pattern ISO_HOUR =
      Pattern.compile("(?<=\\d{2})T(\\d{2})(?=$|Z|[+-]\\d{2}:?(?:\\d{2})?$)");
  private static final Pattern OFFSET =
      Pattern.compile(
          "(?:(?:GMT|UTC|Z|[ECMP][SD]T)\\s*|(?<![\\d\\p{L}-]))"
              + "([+-])\\s?(\\d{1,2}):?(\\d{2})?(?!\\d)");
  private static final Pattern REGION = Pattern.compile("\\p{Lu}[A-Za-z]+(?:/\\p{Lu}\\w+){1,2}");
  private static final Pattern COMPACT =
      Pattern.compile(
          "(\\d{4})-?(\\d{2})-?(\\d{2})[T\\s]?(\\d{2})(\\d{2})(?:(\\d{2})(?:[.,](\\d{1,9})\\d*)?)?");
  private static final Pattern WEEK = Pattern.compile("(\\d{4})-?W(\\d{2})(?:-?([1-7]))?(?=T|$)");
  private static final Pattern DAY_OF_YEAR = Pattern.compile("(\\d{4})-?(\\d{3})(?=T|$)");
  private static final Pattern SHORT_YEAR = Pattern.compile("\\d{2}-\\d{2}-\\d{2}T.*");
  private static final Pattern UNIX = Pattern.compile("(\\d{10})(?:\\.?(\\d{3}))?");
  private static final Pattern IDEOGRAPHIC =
      Pattern.compile("(\\d{4})\\s*[년年]\\s*(\\d{1,2})\\s*[월月]\\s*(\\d{1,2})\\s*[일日]");
  private static final Pattern NUMERIC =
      Pattern.compile("(?<!\\d)(\\d{1,4})([./-])\\s?(\\d{1,2})\\2\\s?(\\d{1,4})(?!\\d)");
  private static final Pattern WORD = Pattern.compile("\\p{L}+|\\d+");

  private OtherDates() {}

  /** The instant of a trimmed text of bounded length; null for a text that is no date. */
  static @Nullable Instant parse(String date) {
    try {
      Matcher unix = UNIX.matcher(date);
      if (unix.matches()) {
        String millis = unix.group(2);
        return Instant.ofEpochSecond(Long.parseLong(unix.group(1)))
            .plusMillis(millis == null ? 0 : Integer.parseInt(millis));
      }
      return new Reading(date).instant();
    } catch (DateTimeException impossible) {
      return null;
    }
  }

  /** Takes the parts out of a text, one after the other. */
  private static final class Reading {
    private String rest;
    private int year = -1;
    private int month = -1;
    private int day = -1;
    private int hour;
    private int minute;
    private int second;
    private int nanos;
    private @Nullable ZoneId zone;

    Reading(String date) {
      boolean shortYear = SHORT_YEAR.matcher(date).matches();
      String whole = shortYear ? Dates.year(date.substring(0, 2)) + date.substring(2) : date;
      rest = ISO_HOUR.matcher(whole).replaceFirst("T$1:00");
    }

    @Nullable Instant instant() {
      Matcher region = take(REGION);
      if (!compact()) {
        boolean dated = week() || ordinal() || ideographic() || numeric();
        clock();
        offset();
        words(dated);
      } else {
        offset();
        words(true);
      }
      if (zone == null && region != null) {
        zone = Zones.named(region.group());
      }
      if (year < 0 || month < 0) {
        return null;
      }
      return Dates.local(year, month, day < 0 ? 1 : day, hour, minute, second, nanos)
          .atZone(zone == null ? ZoneOffset.UTC : zone)
          .toInstant();
    }

    /** The match, which is taken out of the text; null for none. */
    private @Nullable Matcher take(Pattern pattern) {
      Matcher matcher = pattern.matcher(rest);
      if (!matcher.find()) {
        return null;
      }
      rest = rest.substring(0, matcher.start()) + " " + rest.substring(matcher.end());
      return matcher;
    }

    /** The match at the beginning, which is taken out of the text; null for none. */
    private @Nullable Matcher takeFirst(Pattern pattern) {
      Matcher matcher = pattern.matcher(rest);
      if (!matcher.lookingAt()) {
        return null;
      }
      rest = " " + rest.substring(matcher.end());
      return matcher;
    }

    private boolean compact() {
      Matcher compact = takeFirst(COMPACT);
      if (compact == null) {
        return false;
      }
      date(number(compact, 1), number(compact, 2), number(compact, 3));
      time(number(compact, 4), number(compact, 5), number(compact, 6), compact.group(7));
      return true;
    }

    private boolean week() {
      Matcher week = takeFirst(WEEK);
      if (week == null) {
        return false;
      }
      String of = week.group(1) + "-W" + week.group(2) + "-";
      date(LocalDate.parse(of + Math.max(1, number(week, 3)), DateTimeFormatter.ISO_WEEK_DATE));
      return true;
    }

    private boolean ordinal() {
      Matcher ordinal = takeFirst(DAY_OF_YEAR);
      if (ordinal == null) {
        return false;
      }
      date(LocalDate.ofYearDay(number(ordinal, 1), number(ordinal, 2)));
      return true;
    }

    private boolean ideographic() {
      Matcher ideographic = take(IDEOGRAPHIC);
      if (ideographic == null) {
        return false;
      }
      date(number(ideographic, 1), number(ideographic, 2), number(ideographic, 3));
      return true;
    }

    private boolean numeric() {
      Matcher numeric = take(NUMERIC);
      if (numeric == null) {
        return false;
      }
      int first = number(numeric, 1);
      int second = number(numeric, 3);
      int last = number(numeric, 4);
      if (numeric.group(1).length() > 2) {
        date(first, second, last);
      } else {
        boolean dayFirst = numeric.group(2).equals(".") || first > 12;
        date(Dates.year(numeric.group(4)), dayFirst ? second : first, dayFirst ? first : second);
      }
      return true;
    }

    private void clock() {
      Matcher clock = take(CLOCK);
      Matcher alone = clock == null ? take(HOUR_ALONE) : null;
      if (clock != null) {
        time(number(clock, 2), number(clock, 3), number(clock, 4), clock.group(5));
        half(clock.group(6) == null ? clock.group(1) : clock.group(6));
      } else if (alone != null) {
        hour = number(alone, 1);
        half(alone.group(2));
      }
    }

    private void half(@Nullable String half) {
      if (half != null && hour <= 12) {
        boolean afternoon = "pP오후下午午後".contains(half);
        hour = hour % 12 + (afternoon ? 12 : 0);
      }
    }

    private void offset() {
      Matcher offset = take(OFFSET);
      if (offset != null) {
        long minutes = number(offset, 2) * 60L + number(offset, 3);
        zone = Zones.ahead(offset.group(1).equals("-") ? -minutes : minutes);
      }
    }

    private void time(int hour, int minute, int second, @Nullable String fraction) {
      this.hour = hour;
      this.minute = minute;
      this.second = second;
      nanos = fraction == null ? 0 : Dates.nanos(fraction);
    }

    private void date(int year, int month, int day) {
      this.year = year;
      this.month = month;
      this.day = day;
    }

    private void date(LocalDate date) {
      date(date.getYear(), date.getMonthValue(), date.getDayOfMonth());
    }

    /** The date, unless it is known, and the name of the zone. */
    private void words(boolean dated) {
      Matcher words = WORD.matcher(rest);
      while (words.find()) {
        String word = words.group();
        if (Character.isDigit(word.charAt(0))) {
          number(word);
        } else if (dated || !month(word)) {
          // In lower case too many other words look like one
          boolean upper = word.equals(word.toUpperCase(Locale.ROOT));
          zone = zone == null && upper ? Zones.named(word) : zone;
        }
      }
    }

    private void number(String digits) {
      if (digits.length() > 2 || day >= 0) {
        year = year < 0 && digits.length() <= 4 ? Dates.year(digits) : year;
      } else {
        day = Integer.parseInt(digits);
      }
    }

    private boolean month(String word) {
      int named = MonthNames.month(word);
      month = named < 0 ? month : named;
      return named >= 0;
    }

    private static int number(Matcher matcher, int group) {
      String digits = matcher.group(group);
      return digits == null ? 0 : Integer.parseInt(digits);
    }
  }
}
