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

  public PageLinks {
    filter = new LinkedHashMap<>(filter);
  }

  /** The value of a parameter; empty where it is not set. */
  public String value(String name) {
    return filter.getOrDefault(name, "");
  }

  /** Whether any parameter is set. */
  public boolean isFiltered() {
    return filter.values().stream().anyMatch(value -> !value.isEmpty());
  }

  /** The URL of the part that a cursor names. */
  public String next(@Nullable String cursor) {
    StringBuilder url = new StringBuilder(path);
    char separator = '?';
    Map<String, String> all = new LinkedHashMap<>(filter);
    all.put("cursor", cursor == null ? "" : cursor);
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
