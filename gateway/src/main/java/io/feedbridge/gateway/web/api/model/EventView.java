package io.feedbridge.gateway.web.api.model;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Removal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event as the API shows it.
 *
 * @param status whether the feed failed, is gone, or is back
 * @param step the fetch or push that brought it, in the answer for one event; absent in lists, and
 *     once the history of the feed does not have it any more
 */
public record EventView(
    String id,
    Instant at,
    String feedId,
    String topic,
    String via,
    boolean status,
    List<Item> entries,
    @Nullable StepView step) {

  /** The event with the step that brought it. */
  public EventView broughtBy(@Nullable StepView one) {
    return new EventView(id, at, feedId, topic, via, status, entries, one);
  }

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

  /**
   * An entry of an event, without its content.
   *
   * @param change new, changed, or removed
   */
  public record Item(String id, @Nullable String title, @Nullable String permalink, String change) {
    /** A new or changed entry. */
    public static Item of(Entry entry, String change) {
      return new Item(entry.id(), entry.title(), entry.permalink(), change);
    }

    /** An entry that was removed. */
    public static Item of(Removal removal) {
      return new Item(removal.id(), null, null, "removed");
    }

    /** The title, or the id of an entry without one. */
    public String name() {
      return title == null || title.isBlank() ? id : title;
    }
  }
}
