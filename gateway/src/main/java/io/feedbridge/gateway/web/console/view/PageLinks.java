package io.feedbridge.gateway.web.console.view;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A list's own URL with the filter that its reader chose, for the form and for the next part.
 *
 * @param path of the list
 * @param filter the value of each parameter that is set
 */
public record PageLinks(String path, Map<String, String> filter) {

  private static final String SORT = "sort";

  public PageLinks {
    filter = new LinkedHashMap<>(filter);
  }

  /** The value of a parameter; empty where it is not set. */
  public String value(String name) {
    return filter.getOrDefault(name, "");
  }

  /** Whether the list is of fewer items than there are. */
  public boolean isFiltered() {
    return filter.entrySet().stream()
        .anyMatch(one -> !one.getKey().equals(SORT) && !one.getValue().isEmpty());
  }

  /** The URL of the part that a cursor names. */
  public String next(@Nullable String cursor) {
    return with("cursor", cursor == null ? "" : cursor);
  }

  /** The URL of a page. */
  public String page(long page) {
    return with("page", page == 1 ? "" : Long.toString(page));
  }

  /** The URL of the list in another order. */
  public String sorted(String sort) {
    return with(SORT, sort);
  }

  private String with(String name, String value) {
    StringBuilder url = new StringBuilder(path);
    char separator = '?';
    Map<String, String> all = new LinkedHashMap<>(filter);
    all.put(name, value);
    for (Map.Entry<String, String> one : all.entrySet()) {
      if (!one.getValue().isEmpty()) {
        url.append(separator).append(one.getKey()).append('=').append(of(one.getValue()));
        separator = '&';
      }
    }
    return url.toString();
  }

  /** A text as a value in a URL. */
  public static String of(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
