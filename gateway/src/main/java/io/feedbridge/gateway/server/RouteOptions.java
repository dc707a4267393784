package io.feedbridge.gateway.server;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The bodies that a route takes.
 *
 * @param maxBody the most bytes of a body; a longer one is answered 413 before it is read
 * @param contentTypes the media types taken, without parameters; empty for any. A body without a
 *     Content-Type is always taken, since RFC 9110 §8.3 lets the recipient examine the data
 */
public record RouteOptions(int maxBody, Set<String> contentTypes) {
  /** For routes that take no body. */
  public static final RouteOptions NO_BODY = new RouteOptions(0, Set.of());

  /**
   * @throws IllegalArgumentException if the bound is negative
   */
  public RouteOptions {
    if (maxBody < 0) {
      throw new IllegalArgumentException("the bound of a body cannot be negative");
    }
    contentTypes =
        contentTypes.stream()
            .map(type -> type.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }

  /** A body of any type up to so many bytes. */
  public static RouteOptions anyBody(int maxBody) {
    return new RouteOptions(maxBody, Set.of());
  }

  /** A body of one of these types up to so many bytes. */
  public static RouteOptions body(int maxBody, String... contentTypes) {
    return new RouteOptions(maxBody, Set.of(contentTypes));
  }

  boolean takes(Optional<String> contentType) {
    if (contentTypes.isEmpty() || contentType.isEmpty()) {
      return true;
    }
    String type = contentType.get();
    int parameters = type.indexOf(';');
    type = parameters < 0 ? type : type.substring(0, parameters);
    return contentTypes.contains(type.strip().toLowerCase(Locale.ROOT));
  }
}
