package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of results of a search as the API shows it. */
public record SearchView(List<Item> items, int page, boolean more, boolean complete) {

  /** A result. */
  public record Item(
      String id,
      @Nullable String eventId,
      @Nullable String title,
      @Nullable String permalink,
      @Nullable Instant published,
      @Nullable Instant updated,
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
