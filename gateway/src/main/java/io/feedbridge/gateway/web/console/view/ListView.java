package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A published list, as the API shows it.
 *
 * @param feeds absent where several lists are shown
 */
public record ListView(
    String name,
    String url,
    String title,
    int count,
    Instant changedAt,
    @Nullable List<Feed> feeds) {

  /** A feed of the list. */
  public record Feed(String url, @Nullable String title) {}

  /**
   * A feed of a list that is followed.
   *
   * @param kind feed or list
   * @param feed the id of the feed that is followed for the list; absent while none is
   */
  public record Member(
      String url,
      @Nullable String title,
      String kind,
      @Nullable String feed,
      @Nullable String problem) {}
}
