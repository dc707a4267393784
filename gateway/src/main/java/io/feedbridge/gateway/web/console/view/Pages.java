package io.feedbridge.gateway.web.console.view;

/**
 * A list's pages, of which one is shown.
 *
 * @param page from 1 on
 * @param shown items of this page
 * @param total items of all pages
 */
public record Pages(PageLinks links, long page, int shown, long total) {

  /** Items of a page. */
  public static final int SIZE = 50;

  /** The last page; 1 for an empty list. */
  public long last() {
    return Math.max(1, (total + SIZE - 1) / SIZE);
  }

  /** The place of this page in the list, such as "51 to 100 of 12,345 feeds". */
  public String place(String thing) {
    long before = (page - 1) * SIZE;
    return shown == total
        ? Text.count(total, thing)
        : "%s to %s of %s"
            .formatted(
                Text.number(before + 1), Text.number(before + shown), Text.count(total, thing));
  }
}
