package io.feedbridge.normalizer;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of zones that dates have: the names of RFC 822 §5.1, the abbreviations in use that
 * stand for one zone only, and the identifiers of the tz database. The letters of military zones
 * are no names: RFC 822 has their signs reversed (RFC 2822 §4.3).
 */
final class Zones {
  private static final Map<String, ZoneId> NAMES = names();

  private Zones() {}

  private static Map<String, ZoneId> names() {
    Map<String, ZoneId> names = new HashMap<>();
    for (String line :
        new String[] {
          "Z UT UTC GMT WET",
          "-02:30 NDT",
          "-03:00 ADT BRT ART UYT CLST",
          "-03:30 NST",
          "-04:00 EDT AST CLT BOT VET",
          "-05:00 EST CDT COT PET",
          "-06:00 CST MDT",
          "-07:00 MST PDT",
          "-08:00 PST AKDT",
          "-09:00 AKST HDT",
          "-10:00 HST",
          "+01:00 BST CET MET MEZ WEST WAT",
          "+02:00 CEST MEST MESZ EET SAST CAT",
          "+03:00 EEST MSK EAT TRT",
          "+03:30 IRST",
          "+04:00 MSD SAMT",
          "+05:00 PKT UZT YEKT",
          "+05:45 NPT",
          "+06:00 OMST",
          "+07:00 WIB ICT KRAT NOVT",
          "+08:00 HKT SGT AWST WITA PHT MYT IRKT",
          "+09:00 JST KST WIT YAKT",
          "+09:30 ACST",
          "+10:00 AEST VLAT",
          "+10:30 ACDT",
          "+11:00 AEDT",
          "+12:00 NZST",
          "+13:00 NZDT",
          "America/Halifax AT",
          "America/New_York ET",
          "America/Chicago CT",
          "America/Denver MT",
          "America/Los_Angeles PT"
        }) {
      String[] words = line.split(" ", -1);
      for (int i = 1; i < words.length; i++) {
        names.put(words[i], ZoneId.of(words[0]));
      }
    }
    return Map.copyOf(names);
  }

  /** The zone of an abbreviation, in any case, or of an identifier; null for none. */
  static @Nullable ZoneId named(String name) {
    ZoneId known = NAMES.get(name.toUpperCase(Locale.ROOT));
    if (known != null || name.indexOf('/') < 0) {
      return known;
    }
    try {
      return ZoneId.of(name);
    } catch (DateTimeException unknown) {
      return null;
    }
  }

  /** A zone so many minutes ahead of GMT, or GMT where no clock is as far from it. */
  static ZoneId ahead(long minutes) {
    return Math.abs(minutes) <= ZoneOffset.MAX.getTotalSeconds() / 60
        ? ZoneOffset.ofTotalSeconds((int) minutes * 60)
        : ZoneOffset.UTC;
  }
}
