package io.feedbridge.websub.discovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * References found in headers and documents, made absolute after RFC 3986 §5.2. {@link
 * URI#resolve(URI)} is of no use for that: it follows the older RFC 2396, which differs for
 * "?query" and an empty reference, and it takes "//" out of paths, which many proxied feeds have.
 */
public final class HttpReference {
  /** The longest reference and the longest result, in characters. */
  public static final int MAX_LENGTH = 2048;

  private static final String ILLEGAL = "\"<>\\^`{|}";
  private static final Pattern AUTHORITY =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{0,5})?");

  /** A base for references that need none. */
  private static final URI NO_BASE = URI.create("http://base.invalid/");

  private HttpReference() {}

  /**
   * An absolute URL as it is found in the wild, which {@link URI} may not read.
   *
   * @return as {@link #resolve}; empty as well where the URL is not absolute
   */
  public static Optional<URI> absolute(String url) {
    boolean web =
        url.regionMatches(true, 0, "http://", 0, 7) || url.regionMatches(true, 0, "https://", 0, 8);
    return web ? resolve(NO_BASE, url) : Optional.empty();
  }

  /**
   * Resolves a reference as it is found in the wild: characters that a URL cannot hold are
   * percent-encoded, host names are turned into ASCII, the fragment is dropped.
   *
   * @return empty if that is no http or https URL with a host and without user information
   */
  public static Optional<URI> resolve(URI base, String reference) {
    if (reference.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String text = encodeIllegal(withoutFragment(reference.replaceAll("[\t\r\n]", "").strip()));
    try {
      URI resolved = resolve(base, parse(text));
      boolean fits = isHttp(resolved) && resolved.toString().length() <= MAX_LENGTH;
      return fits ? Optional.of(resolved) : Optional.empty();
    } catch (URISyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * The text, with characters that no URL may contain, or beyond ASCII, as percent-encoded UTF-8.
   */
  static String encodeIllegal(String text) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      boolean stray = c == '%' && !isTriplet(text, i);
      if (c > ' ' && c < 0x7f && ILLEGAL.indexOf(c) < 0 && !stray) {
        encoded.append((char) c);
      } else {
        for (byte octet : Character.toString(c).getBytes(UTF_8)) {
          encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(octet));
        }
      }
    }
    return encoded.toString();
  }

  private static boolean isTriplet(String text, int i) {
    return i + 2 < text.length()
        && HexFormat.isHexDigit(text.charAt(i + 1))
        && HexFormat.isHexDigit(text.charAt(i + 2));
  }

  private static String withoutFragment(String text) {
    int hash = text.indexOf('#');
    return hash < 0 ? text : text.substring(0, hash);
  }

  private static URI parse(String text) throws URISyntaxException {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      // Brackets in a path are as frequent in real URLs as they are forbidden.
      return new URI(text.replace("[", "%5B").replace("]", "%5D"));
    }
  }

  private static URI resolve(URI base, URI reference) throws URISyntaxException {
    String scheme = reference.getScheme();
    if (scheme != null) {
      return reference.isOpaque()
          ? reference
          : build(
              scheme, reference.getRawAuthority(), reference.getRawPath(), reference.getRawQuery());
    }
    if (reference.getRawAuthority() != null) {
      return build(
          base.getScheme(),
          reference.getRawAuthority(),
          reference.getRawPath(),
          reference.getRawQuery());
    }
    String basePath = base.getRawPath() == null ? "" : base.getRawPath();
    String path = reference.getRawPath();
    String query = reference.getRawQuery();
    if (path.isEmpty()) {
      path = basePath;
      query = query == null ? base.getRawQuery() : query;
    } else if (!path.startsWith("/")) {
      path =
          '/' + basePath.substring(basePath.indexOf('/') + 1, basePath.lastIndexOf('/') + 1) + path;
    }
    return build(base.getScheme(), base.getRawAuthority(), path, query);
  }

  private static URI build(
      @Nullable String scheme, @Nullable String authority, String path, @Nullable String query)
      throws URISyntaxException {
    StringBuilder url = new StringBuilder();
    url.append(scheme == null ? "" : scheme.toLowerCase(Locale.ROOT)).append("://");
    url.append(authority == null ? "" : asciiAuthority(authority));
    url.append(withoutDotSegments(path));
    if (query != null) {
      url.append('?').append(query);
    }
    return new URI(url.toString());
  }

  /** RFC 3986 §5.2.4. */
  private static String withoutDotSegments(String path) {
    if (!path.startsWith("/")) {
      return path;
    }
    Deque<String> kept = new ArrayDeque<>();
    String[] segments = path.substring(1).split("/", -1);
    for (int i = 0; i < segments.length; i++) {
      String segment = segments[i];
      if (segment.equals("..")) {
        kept.pollLast();
      } else if (!segment.equals(".")) {
        kept.addLast(segment);
      }
      if (i == segments.length - 1 && (segment.equals(".") || segment.equals(".."))) {
        kept.addLast("");
      }
    }
    return '/' + String.join("/", kept);
  }

  /** Host names that are not ASCII have become percent-encoded UTF-8 by now. */
  private static String asciiAuthority(String authority) throws URISyntaxException {
    String ascii = authority;
    if (authority.indexOf('%') >= 0) {
      String decoded = new URI("x://" + authority).getAuthority();
      int colon = decoded.lastIndexOf(':');
      int end = colon < 0 ? decoded.length() : colon;
      String host = IDN.toASCII(decoded.substring(0, end));
      // IDNA turns full-width punctuation into the punctuation that ends a host.
      if (host.indexOf(':') >= 0) {
        throw new URISyntaxException(authority, "The host has a colon in it");
      }
      ascii = host + decoded.substring(end);
    }
    // Checked after IDNA, which turns the full-width forms of / and @ into the plain characters.
    if (!AUTHORITY.matcher(ascii).matches()) {
      throw new URISyntaxException(authority, "No host, or more than host and port");
    }
    return ascii;
  }

  private static boolean isHttp(URI uri) {
    boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    return web && uri.getRawAuthority() != null;
  }
}
