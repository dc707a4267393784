package io.feedbridge.gateway.web.api.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of results.
 *
 * @param more whether older matches follow
 * @param complete false if the time was over before all was searched
 */
public record SearchView(List<Item> items, int page, int byPage, boolean more, boolean complete) {

  /**
   * An entry without its content, and its feed.
   *
   * @param eventId the event that brought it; absent for an entry that existed when following began
   */
  public record Item(
      String id,
      @Nullable String eventId,
      @Nullable String title,
      @Nullable String permalink,
      @Nullable Instant published,
      @Nullable Instant updated,
      @Nullable String language,
      Of feed) {

    /** The title, or the id of an entry without one. */
    public String name() {
      return title == null || title.isBlank() ? id : title;
    }

    /** When it was written; absent where it does not say. */
    public @Nullable Instant at() {
      return published == null ? updated : published;
    }
  }

  /** The feed of an entry. */
  public record Of(String id, String topic, @Nullable String title) {

    /** The title, or the URL of a feed without one. */
    public String name() {
      return title == null || title.isBlank() ? topic : title;
    }
  }
}
