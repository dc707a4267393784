package io.feedbridge.normalizer;

import com.rometools.rome.io.impl.XmlFixerReader;
import java.io.Reader;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** HTML entities, and HTML as plain text for titles. */
final class HtmlText {
  private static final Pattern REFERENCE =
      Pattern.compile("&(?:#(\\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));");

  private static final Map<String, String> XML_ENTITIES =
      Map.of("amp", "&", "lt", "<", "gt", ">", "quot", "\"", "apos", "'");

  private HtmlText() {}

  /** The text a reader sees of inline markup: tags away, entities resolved once. */
  static String plain(String html) {
    String text = html.indexOf('<') < 0 ? html : withoutTags(html);
    if (text.indexOf('&') < 0) {
      return text;
    }
    return REFERENCE
        .matcher(text)
        .replaceAll(
            reference -> {
              String character =
                  character(reference.group(1), reference.group(2), reference.group(3));
              return Matcher.quoteReplacement(character == null ? reference.group() : character);
            });
  }

  /** A comment or a tag that is not closed stays: it is text, as a "<" before a space is. */
  private static String withoutTags(String html) {
    StringBuilder out = new StringBuilder(html.length());
    int lastCommentEnd = html.lastIndexOf("-->");
    int at = 0;
    while (at < html.length()) {
      int open = html.indexOf('<', at);
      if (open < 0) {
        break;
      }
      out.append(html, at, open);
      int end = -1;
      if (html.startsWith("<!--", open) && lastCommentEnd >= open + 4) {
        end = html.indexOf("-->", open + 4) + 3;
      } else if (isTag(html, open + 1)) {
        end = afterTag(html, open + 1);
      }
      if (end < 0) {
        out.append('<');
      }
      at = end < 0 ? open + 1 : end;
    }
    return out.append(html, at, html.length()).toString();
  }

  private static int afterTag(String html, int from) {
    for (int at = from; at < html.length() && html.charAt(at) != '<'; at++) {
      if (html.charAt(at) == '>') {
        return at + 1;
      }
    }
    return -1;
  }

  private static boolean isTag(String html, int at) {
    int name = at < html.length() && html.charAt(at) == '/' ? at + 1 : at;
    return name < html.length() && Character.isLetter(html.charAt(name));
  }

  private static @Nullable String character(
      @Nullable String decimal, @Nullable String hex, @Nullable String name) {
    if (name != null) {
      return entity(name);
    }
    int code =
        decimal != null ? Integer.parseInt(decimal) : Integer.parseInt(hex == null ? "0" : hex, 16);
    return XmlChars.isLegal(code) ? Character.toString(C1Controls.meant(code)) : null;
  }

  /** The character of a named HTML entity; null for a name that HTML 4 does not know. */
  static @Nullable String entity(String name) {
    String xml = XML_ENTITIES.get(name);
    if (xml != null) {
      return xml;
    }
    // As Rome reads it; the reader itself reads nothing here.
    String fixed = new XmlFixerReader(Reader.nullReader()).processHtmlEntities("&" + name + ";");
    return fixed.startsWith("&#")
        ? Character.toString(Integer.parseInt(fixed.substring(2, fixed.indexOf(';'))))
        : null;
  }
}
