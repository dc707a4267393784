package io.feedbridge.gateway.web.console.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A recent entry, and whether a webhook with the filter would be sent it. */
public record PreviewItem(String id, @Nullable String title, boolean matches) {

  /**
   * The newest entries, newest first.
   *
   * @param messages that the newest entry which matches makes for the target
   */
  public record Items(List<PreviewItem> items, List<String> messages) {

    /** The number of entries that the filter accepts. */
    public long matching() {
      return items.stream().filter(PreviewItem::matches).count();
    }
  }

  /** The title, or the id of an entry without one. */
  public String name() {
    return title == null || title.isBlank() ? id : title;
  }
}
