package io.feedbridge.normalizer;

import static io.feedbridge.normalizer.Vocabulary.attribute;

import java.time.DayOfWeek;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Hints}. Rome throws unchecked exceptions on these elements (an hour of 24, a day
 * "Mon", a cloud's port that is no number), so it never gets them. Values that make no sense are
 * passed over.
 */
final class SyndicationHints {
  private static final int MAX_CLOUDS = 10;
  private static final long MAX_TTL_MINUTES = Duration.ofDays(3650).toMinutes();

  /** No publisher means less, and periods are counted in whole seconds. */
  private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(1);

  private SyndicationHints() {}

  static Hints of(Element channel, List<Link> links) {
    List<String> hubs = new ArrayList<>();
    String self = null;
    for (Link link : links) {
      if (link.rel().equals(Link.HUB)) {
        hubs.add(link.href());
      } else if (link.rel().equals(Link.SELF) && self == null) {
        self = link.href();
      }
    }
    return new Hints(
        ttl(Vocabulary.RSS.text(channel, "ttl")),
        skipHours(channel),
        skipDays(channel),
        updatePeriod(channel),
        Dates.parse(Vocabulary.SYNDICATION.text(channel, "updateBase")),
        hubs,
        self,
        clouds(channel),
        sourceCloud(channel));
  }

  private static @Nullable Duration ttl(@Nullable String minutes) {
    Integer value = number(minutes);
    return value == null || value <= 0 || value > MAX_TTL_MINUTES
        ? null
        : Duration.ofMinutes(value);
  }

  private static List<Integer> skipHours(Element channel) {
    TreeSet<Integer> hours = new TreeSet<>();
    for (Element skip : Vocabulary.RSS.children(channel, "skipHours")) {
      for (Element hour : Vocabulary.RSS.children(skip, "hour")) {
        Integer value = number(Vocabulary.textOf(hour));
        if (value != null && value >= 0 && value <= 24) {
          hours.add(value % 24);
        }
      }
    }
    return List.copyOf(hours);
  }

  private static List<DayOfWeek> skipDays(Element channel) {
    TreeSet<DayOfWeek> days = new TreeSet<>();
    for (Element skip : Vocabulary.RSS.children(channel, "skipDays")) {
      for (Element day : Vocabulary.RSS.children(skip, "day")) {
        String name = day.getValue().trim().toUpperCase(Locale.ROOT);
        for (DayOfWeek candidate : DayOfWeek.values()) {
          if (name.length() >= 3 && candidate.name().startsWith(name)) {
            days.add(candidate);
          }
        }
      }
    }
    return List.copyOf(days);
  }

  private static @Nullable Duration updatePeriod(Element channel) {
    String period = Vocabulary.SYNDICATION.text(channel, "updatePeriod");
    Integer frequency = number(Vocabulary.SYNDICATION.text(channel, "updateFrequency"));
    if (period == null && frequency == null) {
      return schedule(channel);
    }
    // The module's defaults are daily and once
    Duration whole =
        switch (period == null ? "daily" : period.toLowerCase(Locale.ROOT)) {
          case "hourly" -> Duration.ofHours(1);
          case "daily" -> Duration.ofDays(1);
          case "weekly" -> Duration.ofDays(7);
          case "monthly" -> Duration.ofDays(30);
          case "yearly" -> Duration.ofDays(365);
          default -> Duration.ZERO;
        };
    if (whole.isZero()) {
      return null;
    }
    Duration part = whole.dividedBy(frequency == null ? 1 : Math.max(frequency, 1));
    return part.compareTo(SHORTEST_PERIOD) < 0 ? SHORTEST_PERIOD : part;
  }

  /** CDF's {@code SCHEDULE}: the days, hours and minutes of its interval together. */
  private static @Nullable Duration schedule(Element channel) {
    Element schedule = Vocabulary.RSS.child(channel, "schedule");
    Element interval = schedule == null ? null : Vocabulary.RSS.child(schedule, "intervaltime");
    if (interval == null) {
      return null;
    }
    long minutes =
        (part(interval, "day") * 24 + part(interval, "hour")) * 60 + part(interval, "min");
    return minutes <= 0 || minutes > MAX_TTL_MINUTES ? null : Duration.ofMinutes(minutes);
  }

  private static long part(Element interval, String name) {
    Integer value = number(attribute(interval, name));
    return value == null ? 0 : value;
  }

  private static @Nullable String sourceCloud(Element channel) {
    for (Element cloud : Vocabulary.SOURCE.children(channel, "cloud")) {
      String url = Vocabulary.textOf(cloud);
      if (url != null) {
        return url;
      }
    }
    return null;
  }

  private static List<Hints.Cloud> clouds(Element channel) {
    List<Hints.Cloud> clouds = new ArrayList<>();
    for (Element child : channel.getChildren()) {
      Vocabulary vocabulary = Vocabulary.of(child);
      boolean cloud = vocabulary == Vocabulary.RSS || vocabulary == Vocabulary.SOURCE;
      String domain = attribute(child, "domain");
      if (cloud
          && child.getName().equalsIgnoreCase("cloud")
          && domain != null
          && clouds.size() < MAX_CLOUDS) {
        Integer port = number(attribute(child, "port"));
        clouds.add(
            new Hints.Cloud(
                domain,
                port == null || port < 1 || port > 65535 ? null : port,
                orEmpty(attribute(child, "path")),
                orEmpty(attribute(child, "registerProcedure")),
                orEmpty(attribute(child, "protocol"))));
      }
    }
    return clouds;
  }

  private static String orEmpty(@Nullable String value) {
    return value == null ? "" : value;
  }

  private static @Nullable Integer number(@Nullable String digits) {
    try {
      return digits == null ? null : Integer.valueOf(digits.trim());
    } catch (NumberFormatException noNumber) {
      return null;
    }
  }
}
