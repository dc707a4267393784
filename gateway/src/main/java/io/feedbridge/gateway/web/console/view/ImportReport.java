package io.feedbridge.gateway.web.console.view;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result for an OPML list as the API shows it. */
public record ImportReport(
    int followed, int known, int duplicate, int bad, int forbidden, List<Item> items) {

  /** The same report with the bad and forbidden lines first. */
  public ImportReport refusedFirst() {
    List<Item> sorted =
        items.stream().sorted(Comparator.comparing(item -> !item.refused())).toList();
    return new ImportReport(followed, known, duplicate, bad, forbidden, sorted);
  }

  /**
   * The result for one line.
   *
   * @param result followed, known, duplicate, bad or forbidden
   * @param line of the file; absent where it is not known
   */
  public record Item(
      String url,
      @Nullable String title,
      @Nullable String topic,
      String result,
      @Nullable String reason,
      @Nullable Integer line) {

    private boolean refused() {
      return result.equals("bad") || result.equals("forbidden");
    }
  }
}
