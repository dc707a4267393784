package io.feedbridge.gateway.web.console.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result for an OPML list as the API shows it. */
public record ImportReport(int followed, int known, int refused, List<Item> items) {

  /**
   * The result for one feed.
   *
   * @param result followed, known or refused
   * @param line of the file; absent where it is not known
   */
  public record Item(
      String url,
      @Nullable String title,
      @Nullable String topic,
      String result,
      @Nullable String reason,
      @Nullable Integer line) {}
}
