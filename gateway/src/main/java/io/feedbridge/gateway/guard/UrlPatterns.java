package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.address.WebAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A list of patterns that allow, and of others, with {@code !} before them, that deny. A URL that
 * one denies is refused, whichever others allow it. If any pattern allows, only URLs that one
 * allows are permitted. The order makes no difference. Immutable.
 */
public final class UrlPatterns {

  /** Permits everything. */
  public static final UrlPatterns ALL = parse(List.of());

  /** More would cost too much for each request. */
  public static final int MAX = 10_000;

  private final List<String> written;
  private final List<UrlPattern> allowing;
  private final List<UrlPattern> denying;

  private UrlPatterns(List<String> written, List<UrlPattern> allowing, List<UrlPattern> denying) {
    this.written = written;
    this.allowing = allowing;
    this.denying = denying;
  }

  /**
   * Reads patterns.
   *
   * @throws IllegalArgumentException naming one that is none, or if there are more than {@link
   *     #MAX}
   */
  public static UrlPatterns parse(List<String> patterns) {
    if (patterns.size() > MAX) {
      throw new IllegalArgumentException("there are more than %d patterns".formatted(MAX));
    }
    List<UrlPattern> allowing = new ArrayList<>();
    List<UrlPattern> denying = new ArrayList<>();
    for (String pattern : patterns) {
      if (pattern.startsWith("!")) {
        denying.add(UrlPattern.parse(pattern.substring(1)));
      } else {
        allowing.add(UrlPattern.parse(pattern));
      }
    }
    return new UrlPatterns(List.copyOf(patterns), List.copyOf(allowing), List.copyOf(denying));
  }

  /** Whether a URL may be followed, or called; one that cannot be called is not denied by this. */
  public boolean permits(String url) {
    if (written.isEmpty()) {
      return true;
    }
    Optional<WebAddress> address = WebAddress.of(url);
    return address.isEmpty()
        || (!isAmong(denying, address.get())
            && (allowing.isEmpty() || isAmong(allowing, address.get())));
  }

  /** Whether a pattern denies a URL, to which a redirect may have led. */
  public boolean denies(String url) {
    return !denying.isEmpty()
        && WebAddress.of(url).filter(address -> isAmong(denying, address)).isPresent();
  }

  private static boolean isAmong(List<UrlPattern> patterns, WebAddress address) {
    for (UrlPattern pattern : patterns) {
      if (pattern.matches(address)) {
        return true;
      }
    }
    return false;
  }

  /** The patterns as they were written; equal texts mean the same list. */
  @Override
  public String toString() {
    return String.join(" ", written);
  }
}
