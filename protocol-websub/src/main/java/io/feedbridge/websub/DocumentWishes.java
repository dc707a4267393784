package io.feedbridge.websub;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The wishes of a subscriber for its documents, beside their format. No specification has them.
 *
 * @param every the time in which it wants one document at most; null for a document of each event
 * @param only the entries that it wants; empty for the usual ones
 * @param fields the members that it wants of each entry of a JSON document, beside the id; empty
 *     for all
 * @param digest whether it wants the newest entries together from time to time, even if none is new
 * @param dedupe whether it wants no entry whose page another of its feeds has brought; only for
 *     subscribers of several feeds
 */
public record DocumentWishes(
    @Nullable Duration every, Set<Kind> only, List<String> fields, boolean digest, boolean dedupe) {

  /** No wishes. */
  public static final DocumentWishes NONE =
      new DocumentWishes(null, Set.of(), List.of(), false, false);

  /** The shortest time between two documents. */
  public static final Duration SHORTEST = Duration.ofSeconds(10);

  /** The longest time between two documents. */
  public static final Duration LONGEST = Duration.ofHours(24);

  /** The most members that can be named. */
  public static final int MAX_FIELDS = 50;

  private static final Pattern TIME = Pattern.compile("(\\d{1,6})(s|m|h)");
  private static final Pattern FIELD = Pattern.compile("[A-Za-z][A-Za-z0-9_:.-]{0,63}");

  /** The kinds of entries that a document tells of. */
  public enum Kind {
    NEW,
    UPDATED,
    REMOVED
  }

  public DocumentWishes {
    only = Set.copyOf(only);
    fields = List.copyOf(fields);
  }

  /**
   * Reads wishes.
   *
   * @param every such as {@code 15m}
   * @param only kinds with commas between them, such as {@code new,removed}
   * @param fields names with commas between them, such as {@code title,permalinkUrl}
   * @throws BadHubRequestException if one is not understood, with its name and the remedy
   */
  public static DocumentWishes parse(
      Optional<String> every, Optional<String> only, Optional<String> fields)
      throws BadHubRequestException {
    return every.isEmpty() && only.isEmpty() && fields.isEmpty()
        ? NONE
        : new DocumentWishes(
            every.isEmpty() ? null : time(every.get()),
            only.isEmpty() ? Set.of() : kinds(only.get()),
            fields.isEmpty() ? List.of() : names(fields.get()),
            false,
            false);
  }

  /** Wishes that differ from these in {@code digest} alone. */
  public DocumentWishes withDigest(boolean wanted) {
    return wanted == digest ? this : new DocumentWishes(every, only, fields, wanted, dedupe);
  }

  /** Wishes that differ from these in {@code dedupe} alone. */
  public DocumentWishes withDedupe(boolean wanted) {
    return wanted == dedupe ? this : new DocumentWishes(every, only, fields, digest, wanted);
  }

  private static Duration time(String text) throws BadHubRequestException {
    Matcher time = TIME.matcher(text.strip());
    if (time.matches()) {
      long count = Long.parseLong(time.group(1));
      Duration every =
          switch (time.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
          };
      if (every.compareTo(SHORTEST) >= 0 && every.compareTo(LONGEST) <= 0) {
        return every;
      }
    }
    throw new BadHubRequestException(
        "every "
            + Parameters.quoted(text)
            + " is no time from 10s to 24h; write it with s, m or h, such as 15m");
  }

  private static Set<Kind> kinds(String text) throws BadHubRequestException {
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    for (String name : text.split(",", -1)) {
      kinds.add(
          Arrays.stream(Kind.values())
              .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(name.strip()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new BadHubRequestException(
                          "only "
                              + Parameters.quoted(name)
                              + " is not known here; use new, updated and removed, with commas"
                              + " between them")));
    }
    return kinds;
  }

  private static List<String> names(String text) throws BadHubRequestException {
    List<String> names = new ArrayList<>();
    for (String name : text.split(",", -1)) {
      if (!FIELD.matcher(name.strip()).matches()) {
        throw new BadHubRequestException(
            "fields "
                + Parameters.quoted(name)
                + " is no name of a member of an entry; write names with commas between them, such"
                + " as title,permalinkUrl");
      }
      if (!names.contains(name.strip())) {
        names.add(name.strip());
      }
    }
    if (names.size() > MAX_FIELDS) {
      throw new BadHubRequestException("fields names more than " + MAX_FIELDS + " members");
    }
    return names;
  }

  /** The time in the form that {@link #parse} reads; null for none. */
  public @Nullable String everyText() {
    if (every == null) {
      return null;
    }
    long seconds = every.toSeconds();
    return seconds % 3600 == 0
        ? seconds / 3600 + "h"
        : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** The kinds in the form that {@link #parse} reads; null for none. */
  public @Nullable String onlyText() {
    List<String> names =
        Arrays.stream(Kind.values())
            .filter(only::contains)
            .map(kind -> kind.name().toLowerCase(Locale.ROOT))
            .toList();
    return names.isEmpty() ? null : String.join(",", names);
  }

  /** The members in the form that {@link #parse} reads; null for none. */
  public @Nullable String fieldsText() {
    return fields.isEmpty() ? null : String.join(",", fields);
  }
}
