package io.feedbridge.gateway.config;

import io.feedbridge.gateway.client.Networks;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.guard.UrlPatterns;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads what strangers may have the gateway do, with every problem noted on the way. */
final class GuardingReader {

  private static final Pattern SEPARATOR = Pattern.compile("[,\\s]+");

  /** Stands before the name of a file of patterns. */
  private static final String FILE = "@";

  private static final String COMMENT = "#";

  /** A file of as many patterns as there may be, each of them long. */
  private static final long MAX_FILE = 4L << 20;

  private final Problems problems;

  GuardingReader(Problems problems) {
    this.problems = problems;
  }

  /** What was read; of no use if there was a problem. */
  Settings.Guarding read(SettingsReader.RawGuarding raw) {
    Limits usual = Limits.DEFAULT;
    return new Settings.Guarding(
        patterns("--topics", raw.topics()),
        patterns("--callbacks", raw.callbacks()),
        new Limits(
            rate("--limit-pings", raw.pings(), usual.pings()),
            rate("--limit-feed-pings", raw.feedPings(), usual.feedPings()),
            rate("--limit-subscriptions", raw.subscriptions(), usual.subscriptions()),
            rate("--limit-callbacks", raw.callbackRequests(), usual.callbacks()),
            rate("--limit-feeds", raw.feeds(), usual.feeds()),
            rate("--limit-unasked", raw.unasked(), usual.unasked()),
            networks("--limit-exempt", raw.exempt())));
  }

  private Rate rate(String option, String text, Rate usual) {
    if (text.isEmpty()) {
      return usual;
    }
    Optional<Rate> rate = Rate.parse(text);
    if (rate.isEmpty()) {
      problems.add(
          option, "'%s' is neither none nor a number in a time, such as 600/1m".formatted(text));
    }
    return rate.orElse(usual);
  }

  private List<String> networks(String option, String text) {
    List<String> networks = new ArrayList<>();
    for (String part : parts(text)) {
      try {
        Networks unused = Networks.of(List.of(part));
        networks.add(part);
      } catch (IllegalArgumentException e) {
        problems.add(option, String.valueOf(e.getMessage()));
      }
    }
    return networks;
  }

  private UrlPatterns patterns(String option, String text) {
    List<String> good = new ArrayList<>();
    for (String part : parts(text)) {
      for (String pattern : part.startsWith(FILE) ? lines(option, part) : List.of(part)) {
        try {
          UrlPatterns unused = UrlPatterns.parse(List.of(pattern));
          good.add(pattern);
        } catch (IllegalArgumentException e) {
          problems.add(option, String.valueOf(e.getMessage()));
        }
      }
    }
    if (good.size() > UrlPatterns.MAX) {
      problems.add(option, "there are more than %d patterns".formatted(UrlPatterns.MAX));
      return UrlPatterns.ALL;
    }
    return UrlPatterns.parse(good);
  }

  private List<String> lines(String option, String name) {
    try {
      Path file = Path.of(name.substring(FILE.length()));
      if (Files.size(file) > MAX_FILE) {
        problems.add(option, "'%s' has more than %d bytes".formatted(file, MAX_FILE));
        return List.of();
      }
      return Files.readAllLines(file).stream()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith(COMMENT))
          .toList();
    } catch (MalformedInputException e) {
      problems.add(option, "'%s' is not text in UTF-8".formatted(name));
    } catch (IOException | InvalidPathException e) {
      problems.add(option, "'%s' names no file that can be read".formatted(name));
    }
    return List.of();
  }

  private static List<String> parts(String text) {
    return SEPARATOR.splitAsStream(text).filter(part -> !part.isEmpty()).toList();
  }
}
