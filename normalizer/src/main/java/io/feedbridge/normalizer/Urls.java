package io.feedbridge.normalizer;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jdom2.Attribute;
import org.jdom2.Element;

/** Resolution of the URLs of a document, which are often not quite URLs. */
final class Urls {
  private static final Pattern ABSOLUTE = Pattern.compile("^[A-Za-z][A-Za-z0-9+.-]*:.*");
  private static final String ILLEGAL = "\"<>\\^`{|}";

  private static final URI ROOT = URI.create("/");

  private Urls() {}

  /** The base that {@code xml:base} gives the element, each one relative to the one around it. */
  static URI base(Element element, URI documentBase) {
    Deque<String> bases = new ArrayDeque<>();
    for (Element at = element; at != null; at = at.getParentElement()) {
      for (Attribute attribute : at.getAttributes()) {
        if (attribute.getName().equals("base")
            && attribute.getNamespaceURI().equals(Vocabulary.XML_NAMESPACE)) {
          bases.push(attribute.getValue());
        }
      }
    }
    URI base = documentBase;
    for (String next : bases) {
      base = rebased(base, next);
    }
    return base;
  }

  /** The base with another one in it; itself where that is unusable. */
  static URI rebased(URI base, String next) {
    try {
      URI resolved = new URI(resolve(base, next));
      return resolved.isAbsolute() && !resolved.isOpaque() ? resolved : base;
    } catch (URISyntaxException unusable) {
      return base;
    }
  }

  /** The reference made absolute; as it stands where that cannot be done. */
  static String resolve(URI base, String reference) {
    String trimmed = reference.trim();
    if (ABSOLUTE.matcher(trimmed).matches()) {
      return hasNoAuthority(trimmed) ? relativeWithScheme(base, trimmed) : trimmed;
    }
    if (!base.isAbsolute() || base.isOpaque()) {
      return trimmed;
    }
    if (trimmed.isEmpty()) {
      return base.toString();
    }
    // java.net.URI follows RFC 2396, which has another answer for these two (RFC 3986 §5.2.2)
    if (trimmed.startsWith("?")) {
      String whole = base.toString();
      int end = whole.length();
      for (char stop : new char[] {'?', '#'}) {
        int at = whole.indexOf(stop);
        end = at >= 0 && at < end ? at : end;
      }
      return whole.substring(0, end) + trimmed;
    }
    try {
      URI from = base.getRawPath().isEmpty() ? base.resolve(ROOT) : base;
      return from.resolve(new URI(escaped(trimmed))).toString();
    } catch (URISyntaxException unusable) {
      return trimmed;
    }
  }

  static boolean isHttp(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    return lower.startsWith("http://") || lower.startsWith("https://");
  }

  /** {@code http:page.html}: a reference relative to a base of the same scheme. */
  private static boolean hasNoAuthority(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    return (lower.startsWith("http:") || lower.startsWith("https:")) && !isHttp(lower);
  }

  private static String relativeWithScheme(URI base, String url) {
    String scheme = url.substring(0, url.indexOf(':'));
    String rest = url.substring(scheme.length() + 1);
    return scheme.equalsIgnoreCase(base.getScheme()) && !rest.isEmpty() ? resolve(base, rest) : url;
  }

  private static String escaped(String reference) {
    StringBuilder out = new StringBuilder(reference.length());
    for (byte b : reference.getBytes(StandardCharsets.UTF_8)) {
      int c = b & 0xFF;
      if (c <= ' ' || c >= 0x7F || ILLEGAL.indexOf(c) >= 0) {
        out.append('%').append(String.format("%02X", c));
      } else {
        out.append((char) c);
      }
    }
    return out.toString();
  }
}
