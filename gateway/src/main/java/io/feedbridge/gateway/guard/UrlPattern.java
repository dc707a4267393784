package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.address.WebAddress;
import java.net.IDN;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One pattern of a list: a host, {@code *.} for the hosts below it, {@code *} for all; with a
 * scheme, a port, or the beginning of a path.
 *
 * @param scheme absent for both
 * @param host in lower case; empty for all
 * @param below whether it stands for the hosts below {@code host}
 * @param port absent for any port, or, with a scheme, for the scheme's own
 * @param path the beginning of the URL's path
 */
record UrlPattern(
    @Nullable String scheme, String host, boolean below, @Nullable Integer port, String path) {

  private static final Pattern PARTS =
      Pattern.compile(
          "(?:(https?)://)?(\\[[0-9A-Fa-f:.]+]|[^/:\\[\\]?#@\\s]+)(?::(\\d{1,5}))?(/.*)?");

  private static final Pattern NAME =
      Pattern.compile("[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*|\\[[0-9a-f:.]+]");

  private static final int MAX_PORT = 65_535;

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it is none
   */
  static UrlPattern parse(String text) {
    Matcher parts = PARTS.matcher(text);
    if (!parts.matches()) {
      throw none(text);
    }
    String written = parts.group(2).toLowerCase(Locale.ROOT);
    boolean below = written.startsWith("*.");
    String host = written.equals("*") ? "" : ascii(text, below ? written.substring(2) : written);
    if (!host.isEmpty() && !NAME.matcher(host).matches()) {
      throw none(text);
    }
    Integer port = parts.group(3) == null ? null : Integer.valueOf(parts.group(3));
    if (port != null && (port < 1 || port > MAX_PORT)) {
      throw none(text);
    }
    String path = parts.group(4) == null ? "" : plain(parts.group(4));
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return new UrlPattern(parts.group(1), bare, below, port, path);
  }

  private static String ascii(String text, String host) {
    try {
      String ascii = host.startsWith("[") ? host : IDN.toASCII(host).toLowerCase(Locale.ROOT);
      return ascii.endsWith(".") ? ascii.substring(0, ascii.length() - 1) : ascii;
    } catch (IllegalArgumentException e) {
      throw none(text);
    }
  }

  private static IllegalArgumentException none(String text) {
    return new IllegalArgumentException(
        "'%s' is no host such as example.org or *.example.org, nor a URL such as https://example.org/feeds/"
            .formatted(text));
  }

  boolean matches(WebAddress address) {
    boolean isHost =
        host.isEmpty()
            || (below ? address.host().endsWith("." + host) : address.host().equals(host));
    boolean isPort =
        port == null ? scheme == null || address.hasUsualPort() : port == address.port();
    boolean isScheme = scheme == null || scheme.equals("https") == address.secure();
    return isHost && isPort && isScheme && (path.isEmpty() || startsWithPath(address.path()));
  }

  /** Whether the path, as servers may read it, begins with the pattern's. */
  private boolean startsWithPath(String given) {
    return plain(given).startsWith(path);
  }

  /**
   * A path as most servers read it: without needless percent-encoding and without dot segments, so
   * that no other spelling evades a pattern.
   */
  static String plain(String path) {
    int query = path.indexOf('?');
    String bare = decoded(query < 0 ? path : path.substring(0, query));
    Deque<String> kept = new ArrayDeque<>();
    String[] segments = bare.substring(1).split("/", -1);
    for (int i = 0; i < segments.length; i++) {
      boolean dots = segments[i].equals(".") || segments[i].equals("..");
      if (segments[i].equals("..")) {
        kept.pollLast();
      }
      if (!dots) {
        kept.addLast(segments[i]);
      } else if (i == segments.length - 1) {
        kept.addLast("");
      }
    }
    return "/" + String.join("/", kept) + (query < 0 ? "" : path.substring(query));
  }

  private static String decoded(String path) {
    StringBuilder plain = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      Optional<Character> visible = i + 2 < path.length() ? visibleAt(path, i) : Optional.empty();
      plain.append(visible.orElse(path.charAt(i)));
      i += visible.isPresent() ? 2 : 0;
    }
    return plain.toString();
  }

  /** The visible ASCII character that is percent-encoded there, if one is and it ends no path. */
  private static Optional<Character> visibleAt(String path, int at) {
    int high = Character.digit(path.charAt(at + 1), 16);
    int low = Character.digit(path.charAt(at + 2), 16);
    int c = high * 16 + low;
    boolean encoded = path.charAt(at) == '%' && high >= 0 && low >= 0;
    return encoded && c > ' ' && c < 0x7f && "?#%".indexOf(c) < 0
        ? Optional.of((char) c)
        : Optional.empty();
  }
}
