package io.feedbridge.gateway.web.api.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.feedbridge.gateway.store.PublishedList.Item;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list as the API shows it.
 *
 * @param url where it is published
 * @param count its feeds
 * @param feeds absent where several lists are shown
 */
public record ListView(
    String name,
    String url,
    String title,
    int count,
    Instant changedAt,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Item> feeds) {

  /**
   * A feed of a list that is followed.
   *
   * @param feed the id of the feed that is followed for the list; absent while none is
   * @param kind feed, or list for a list within the list
   * @param problem why it is not followed; absent where there is nothing to tell
   */
  public record Member(
      String url,
      @Nullable String title,
      String kind,
      @Nullable String feed,
      @Nullable String problem) {}
}
