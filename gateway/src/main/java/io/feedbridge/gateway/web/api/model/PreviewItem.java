package io.feedbridge.gateway.web.api.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of the newest entries, and whether it would be sent. */
public record PreviewItem(String id, @Nullable String title, boolean matches) {

  /** The title, or the id of an entry without one. */
  public String name() {
    return title == null || title.isBlank() ? id : title;
  }

  /**
   * The newest entries, the newest first; the list has no further part.
   *
   * @param messages as they would be sent for the newest entry that matches
   */
  public record Items(List<PreviewItem> items, List<String> messages) {

    /** The number of entries that the filter accepts. */
    public long matching() {
      return items.stream().filter(PreviewItem::matches).count();
    }
  }
}
