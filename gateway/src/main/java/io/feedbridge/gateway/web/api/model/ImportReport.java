package io.feedbridge.gateway.web.api.model;

import com.fasterxml.jackson.annotation.JsonValue;
import io.feedbridge.gateway.opml.Outline;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result for a whole list: how many lines have each result, and all lines in its order. */
public record ImportReport(
    int followed, int known, int duplicate, int bad, int forbidden, List<Item> items) {

  /** The report of lines, counted by their results. */
  public static ImportReport of(List<Item> items) {
    return new ImportReport(
        count(items, Result.FOLLOWED),
        count(items, Result.KNOWN),
        count(items, Result.DUPLICATE),
        count(items, Result.BAD),
        count(items, Result.FORBIDDEN),
        items);
  }

  private static int count(List<Item> items, Result result) {
    return (int) items.stream().filter(item -> item.result == result).count();
  }

  /** The report with the bad and forbidden lines first. */
  public ImportReport refusedFirst() {
    List<Item> sorted =
        items.stream().sorted(Comparator.comparing(item -> !item.refused())).toList();
    return new ImportReport(followed, known, duplicate, bad, forbidden, sorted);
  }

  /** The result of an import for one line of a list. */
  public enum Result {
    FOLLOWED,
    /** The feed was followed before. */
    KNOWN,
    /** An earlier line has the same feed. */
    DUPLICATE,
    /** The line names no feed. */
    BAD,
    /** The operator's policies refuse it. */
    FORBIDDEN;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The result for one line of a list.
   *
   * @param url empty if the line has none
   * @param topic as it is followed
   * @param line of the list in which its outline ends
   */
  public record Item(
      String url,
      String title,
      @Nullable String topic,
      Result result,
      @Nullable String reason,
      int line) {

    /** The result for an outline. */
    public static Item of(
        Outline outline, @Nullable String topic, Result result, @Nullable String why) {
      return new Item(outline.url(), outline.title(), topic, result, why, outline.line());
    }

    /** The line with another result. */
    public Item with(Result other) {
      return new Item(url, title, topic, other, reason, line);
    }

    private boolean refused() {
      return result == Result.BAD || result == Result.FORBIDDEN;
    }
  }
}
