package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event of the log as the API shows it. */
public record EventView(
    String id,
    Instant at,
    String feedId,
    String topic,
    String via,
    boolean status,
    List<Entry> entries,
    @Nullable StepView step) {

  /** The formats in which a page shows an event. */
  public static final List<String> FORMATS = List.of("atom", "json", "rss", "jsonfeed", "raw");

  /** The title of its first entry, or the kind of an event without one. */
  public String name() {
    return entries.isEmpty()
        ? status ? "The feed's status changed" : "The document changed"
        : entries.get(0).name();
  }

  /** How many entries it has beside the one that names it. */
  public int others() {
    return Math.max(0, entries.size() - 1);
  }

  /** An entry of an event. */
  public record Entry(
      String id, @Nullable String title, @Nullable String permalink, String change) {

    /** The title, or the id of an entry without one. */
    public String name() {
      return title == null || title.isBlank() ? id : title;
    }
  }
}
