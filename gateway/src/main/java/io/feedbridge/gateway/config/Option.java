package io.feedbridge.gateway.config;

import java.util.Locale;

/**
 * One line of a table of options: the command line, the environment, the file, {@code --help} and
 * the manual have it from here. Immutable.
 *
 * @param section under which {@code --help} and the manual show it
 * @param kind how its text is read, and the bounds of its value
 * @param name on the command line, such as {@code --poll-min}; its other names follow from this one
 * @param preset the text that it has when it is not set; empty for none
 * @param text the effect of the value, in sentences
 * @param <T> the type of its value
 */
public record Option<T>(Section section, Kind<T> kind, String name, String preset, String text) {

  /** The parts of the table, in their order. */
  public enum Section {
    SERVING("Serving"),
    STORE("Store"),
    ACCESS("Access"),
    HOSTS("Permitted feeds and callbacks"),
    LIMITS("Limits of callers"),
    POLLING("Polls and pings"),
    HUB("WebSub subscriptions"),
    KAFKA("Topic in Kafka"),
    OTHER("Other");

    private final String heading;

    Section(String heading) {
      this.heading = heading;
    }

    /** The heading of the section. */
    public String heading() {
      return heading;
    }
  }

  /**
   * A line of a table.
   *
   * @param line name and preset as on the command line, such as {@code --poll-min=60s}; without
   *     {@code =} there is no preset
   */
  public static <T> Option<T> of(Section section, Kind<T> kind, String line, String text) {
    String[] parts = line.split("=", 2);
    return new Option<>(section, kind, parts[0], parts.length == 1 ? "" : parts[1], text);
  }

  /** The key in the file, such as {@code poll-min}. */
  public String key() {
    return key(name);
  }

  /** The environment variable, such as {@code FEEDBRIDGE_POLL_MIN}. */
  public String variable() {
    return variable(name);
  }

  /** The key of the option with a name. */
  public static String key(String name) {
    return name.replaceFirst("^--", "");
  }

  /** The environment variable of the option with a name. */
  public static String variable(String name) {
    return "FEEDBRIDGE_" + key(name).toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** The value that the option has when it is not set. */
  public T usual() {
    return kind.reader().read(preset, problem -> {}).orElseThrow();
  }
}
