package io.feedbridge.normalizer;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The relative URLs of HTML markup. Nothing but such a URL is ever changed: a text that is no tag,
 * or a tag that is not closed, stays as it is.
 */
final class HtmlUrls {
  private static final Pattern STYLE_URL =
      Pattern.compile(
          "(?i)url\\(\\s*(&quot;|&#0?39;|&#x27;|&apos;|['\"]?)([^'\"()\\s]+?)\\1\\s*\\)");
  private static final String SPACE = " \t\r\n\f";
  private static final URI ANY_BASE = URI.create("http://base.invalid/");

  /** Characters of the longest attribute's name. */
  private static final int MAX_NAME = 12;

  /** Characters that tell a relative URL from an absolute one. */
  private static final int MAX_SCHEME = 64;

  private HtmlUrls() {}

  /** The kinds of attributes' values, by the URLs in them. */
  private enum Kind {
    URL,
    LIST,
    STYLE
  }

  private static @Nullable Kind kind(String tag, String attribute) {
    return switch (attribute) {
      case "href", "src", "poster", "cite", "action", "formaction", "longdesc", "background" ->
          Kind.URL;
      case "data", "codebase", "classid" ->
          tag.equals("object") || tag.equals("applet") ? Kind.URL : null;
      case "srcset", "imagesrcset" -> Kind.LIST;
      case "style" -> Kind.STYLE;
      default -> null;
    };
  }

  /**
   * Whether the markup has a relative URL. The search goes by equals signs, of which markup has
   * few, since it runs for every entry that is read. In doubt the answer is true.
   */
  static boolean hasRelative(String html) {
    if (html.indexOf('<') < 0) {
      return false;
    }
    int at = html.indexOf('=');
    while (at >= 0) {
      int end = at;
      while (end > 0 && isSpace(html.charAt(end - 1))) {
        end--;
      }
      int start = end;
      while (start > 0 && end - start < MAX_NAME && isLetter(html.charAt(start - 1))) {
        start--;
      }
      // Only the object's attributes, since other elements' attributes are among them
      Kind kind =
          start == end ? null : kind("object", html.substring(start, end).toLowerCase(Locale.ROOT));
      int after = kind == null ? at + 1 : afterAbsolute(html, kind, at + 1);
      if (after < 0) {
        return true;
      }
      at = html.indexOf('=', after);
    }
    return false;
  }

  /** Where to go on behind a value without a relative URL; negative for one that may have some. */
  private static int afterAbsolute(String html, Kind kind, int equals) {
    int from = equals;
    while (from < html.length() && isSpace(html.charAt(from))) {
      from++;
    }
    boolean quoted = from < html.length() && "\"'".indexOf(html.charAt(from)) >= 0;
    int start = quoted ? from + 1 : from;
    if (kind == Kind.URL) {
      String value = html.substring(start, Math.min(html.length(), start + MAX_SCHEME));
      int end = quoted ? value.indexOf(html.charAt(from)) : -1;
      return isRelative((end < 0 ? value : value.substring(0, end)).strip()) ? -1 : start;
    }
    int end = quoted ? html.indexOf(html.charAt(from), start) : -1;
    if (end < 0) {
      return -1;
    }
    String value = html.substring(start, end);
    Rewriting trial = new Rewriting("", ANY_BASE);
    String resolved = kind == Kind.LIST ? trial.list(value) : trial.style(value);
    return resolved.equals(value) ? end : -1;
  }

  /** The markup with its relative URLs resolved; the same string where there are none. */
  static String absolute(String html, URI base) {
    return new Rewriting(html, base).result();
  }

  /** One pass over markup. */
  private static final class Rewriting {
    private final String html;
    private final URI base;
    private final StringBuilder out = new StringBuilder();

    /** How far the markup was taken over. */
    private int taken;

    Rewriting(String html, URI base) {
      this.html = html;
      this.base = base;
    }

    String result() {
      int at = html.indexOf('<');
      while (at >= 0 && at + 1 < html.length()) {
        int next = at + 1;
        if (html.startsWith("<!--", at)) {
          int end = html.indexOf("-->", at + 4);
          next = end < 0 ? html.length() : end + 3;
        } else if (isLetter(html.charAt(next))) {
          next = afterTag(next);
        }
        at = html.indexOf('<', next);
      }
      return taken == 0 ? html : out.append(html, taken, html.length()).toString();
    }

    /** Reads the tag whose name begins here; where its content is no markup, that too. */
    private int afterTag(int from) {
      int at = from;
      while (at < html.length() && !isSpace(html.charAt(at)) && "/>".indexOf(html.charAt(at)) < 0) {
        at++;
      }
      String name = html.substring(from, at).toLowerCase(Locale.ROOT);
      int end = afterAttributes(name, at);
      if (end == 0 || html.charAt(end - 1) != '>') {
        return end;
      }
      return switch (name) {
        case "script", "style", "textarea", "title", "xmp", "noembed" -> afterText(name, end);
        default -> end;
      };
    }

    private int afterText(String name, int from) {
      String close = "</" + name;
      for (int at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2)) {
        if (html.regionMatches(true, at, close, 0, close.length())) {
          return at;
        }
      }
      return html.length();
    }

    /**
     * Reads attributes up to the end of the tag, behind which it goes on; where there is no end, up
     * to the next tag or the end of the markup.
     */
    private int afterAttributes(String tag, int from) {
      int at = from;
      while (at < html.length() && html.charAt(at) != '<') {
        char c = html.charAt(at);
        if (c == '>') {
          return at + 1;
        }
        at = isSpace(c) || c == '/' ? at + 1 : attribute(tag, at);
      }
      return at;
    }

    private int attribute(String tag, int from) {
      int at = from + 1;
      while (at < html.length()
          && !isSpace(html.charAt(at))
          && "=/>".indexOf(html.charAt(at)) < 0) {
        at++;
      }
      int nameEnd = at;
      at = afterSpace(at);
      if (at == html.length() || html.charAt(at) != '=') {
        return nameEnd;
      }
      at = afterSpace(at + 1);
      if (at == html.length()) {
        return at;
      }
      char quote = html.charAt(at);
      boolean quoted = quote == '"' || quote == '\'';
      int start = quoted ? at + 1 : at;
      int end = quoted ? html.indexOf(quote, start) : unquotedEnd(start);
      if (end < 0) {
        return html.length();
      }
      Kind kind = kind(tag, html.substring(from, nameEnd).toLowerCase(Locale.ROOT));
      if (kind != null) {
        replace(kind, start, end, quoted ? quote : ' ');
      }
      return quoted ? end + 1 : end;
    }

    private int afterSpace(int from) {
      int at = from;
      while (at < html.length() && isSpace(html.charAt(at))) {
        at++;
      }
      return at;
    }

    private int unquotedEnd(int from) {
      int at = from;
      while (at < html.length() && !isSpace(html.charAt(at)) && html.charAt(at) != '>') {
        at++;
      }
      return at;
    }

    private void replace(Kind kind, int start, int end, char quote) {
      String value = html.substring(start, end);
      String resolved =
          switch (kind) {
            case URL -> url(value);
            case LIST -> list(value);
            case STYLE -> style(value);
          };
      if (!resolved.equals(value)) {
        // An apostrophe is a character of URLs, and may come from the base
        String safe = quote == '"' ? resolved : resolved.replace("'", quote == '\'' ? "%27" : "'");
        out.append(html, taken, start).append(safe);
        taken = end;
      }
    }

    private String url(String value) {
      String reference = value.strip();
      if (!isRelative(reference)) {
        return value;
      }
      boolean coded = reference.contains("&#");
      String plain = coded ? HtmlText.plain(reference) : reference;
      if (!isRelative(plain)) {
        return value;
      }
      String resolved = Urls.resolve(base, plain);
      if (resolved.equals(plain)) {
        return value;
      }
      return coded ? resolved.replace("&", "&amp;") : resolved;
    }

    /** {@code srcset}: URLs with descriptors; a comma may be part of a URL, but not its end. */
    private String list(String value) {
      StringBuilder list = new StringBuilder();
      int at = 0;
      while (at < value.length()) {
        int start = at;
        while (start < value.length()
            && (isSpace(value.charAt(start)) || value.charAt(start) == ',')) {
          start++;
        }
        int end = start;
        while (end < value.length() && !isSpace(value.charAt(end))) {
          end++;
        }
        int urlEnd = end;
        while (urlEnd > start && value.charAt(urlEnd - 1) == ',') {
          urlEnd--;
        }
        int next = urlEnd < end ? end : afterDescriptor(value, end);
        list.append(value, at, start)
            .append(start == urlEnd ? "" : url(value.substring(start, urlEnd)))
            .append(value, urlEnd, next);
        at = next;
      }
      return list.toString();
    }

    private static int afterDescriptor(String value, int from) {
      int at = from;
      int depth = 0;
      while (at < value.length() && (depth > 0 || value.charAt(at) != ',')) {
        depth += value.charAt(at) == '(' ? 1 : value.charAt(at) == ')' && depth > 0 ? -1 : 0;
        at++;
      }
      return at;
    }

    private String style(String value) {
      Matcher urls = STYLE_URL.matcher(value);
      return urls.replaceAll(
          found -> {
            String resolved = url(found.group(2));
            String whole =
                value.substring(found.start(), found.start(2))
                    + resolved.replace("(", "%28").replace(")", "%29").replace("'", "%27")
                    + value.substring(found.end(2), found.end());
            return Matcher.quoteReplacement(whole);
          });
    }
  }

  /**
   * Whether this is a relative reference that is worth resolving: neither empty nor a place in the
   * same text, and no template.
   */
  private static boolean isRelative(String reference) {
    if (reference.isEmpty() || reference.charAt(0) == '#') {
      return false;
    }
    for (int at = 0; at < reference.length(); at++) {
      char c = reference.charAt(at);
      if (c == ':') {
        return at == 0;
      }
      if (c == '{' || c == '<' || c == '[') {
        return false;
      }
      if (c == '/' || c == '?' || c == '#') {
        return reference.indexOf('{') < 0 && reference.indexOf('<') < 0;
      }
    }
    return true;
  }

  private static boolean isSpace(char c) {
    return SPACE.indexOf(c) >= 0;
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
