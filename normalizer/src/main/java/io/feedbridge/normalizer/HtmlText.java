package io.feedbridge.normalizer;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Entities;
import org.jspecify.annotations.Nullable;

/** HTML entities, and HTML as plain text for titles. */
final class HtmlText {
  private static final Pattern REFERENCE =
      Pattern.compile("&(?:#(\\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));");

  /** A title about markup may name these. */
  private static final Set<String> OF_TAGS = Set.of("lt", "gt");

  private static final Set<String> XML_ESCAPES = Set.of("amp", "lt", "gt");

  /** Elements whose text no reader sees. That of a player is for readers without one. */
  private static final Pattern HIDDEN =
      Pattern.compile("<(script|style|template)(?=[\\s/>])", Pattern.CASE_INSENSITIVE);

  /** Tags of markup inside a line, which text hardly ever has as pairs. */
  private static final Pattern END_TAG =
      Pattern.compile(
          "</(?:a|audio|b|big|code|del|div|em|font|h[1-6]|i|iframe|ins|mark|noscript|object|p|q|s"
              + "|small|span|strike|strong|sub|sup|tt|u|video|script|style)\\s*>|<br\\s*/?>|<img\\s[^<>]*>",
          Pattern.CASE_INSENSITIVE);

  /** A tag of an image or a player, up to its end or the next tag. */
  private static final Pattern MEDIA =
      Pattern.compile(
          "<(?:img|area|audio|video|iframe|object|embed)\\s[^<>]*", Pattern.CASE_INSENSITIVE);

  private static final List<Pattern> DESCRIPTIONS = List.of(attribute("alt"), attribute("title"));

  private HtmlText() {}

  private static Pattern attribute(String name) {
    return Pattern.compile(
        "\\s" + name + "\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)')", Pattern.CASE_INSENSITIVE);
  }

  /**
   * The text a reader sees of a title that may be markup though nothing says so: it is read as
   * HTML, once, where it has references or whole elements of HTML. An ampersand that is escaped
   * twice is much more frequent than one that is meant as it stands; brackets of tags are meant so.
   */
  static String title(String text) {
    return title(text, OF_TAGS);
  }

  /**
   * The same of a title that was read as HTML as it says it is. References that XML needs are left:
   * such a title may be about markup.
   */
  static String titleOfMarkup(String text) {
    return title(text, XML_ESCAPES);
  }

  private static String title(String text, Set<String> left) {
    return hasReference(text, left) || (text.indexOf('<') >= 0 && END_TAG.matcher(text).find())
        ? plain(text)
        : text;
  }

  /** Whether text refers to a character by a number, or by a name that is not to be left. */
  private static boolean hasReference(String text, Set<String> left) {
    if (text.indexOf('&') < 0) {
      return false;
    }
    Matcher reference = REFERENCE.matcher(text);
    while (reference.find()) {
      String name = reference.group(3);
      if (!(name != null && left.contains(name))
          && character(reference.group(1), reference.group(2), name) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * The text a reader sees of inline markup: tags away, entities resolved once. Of markup without
   * text it is the description of its first image or player that has one.
   */
  static String plain(String html) {
    String text = html.indexOf('<') < 0 ? html : withoutTags(html);
    text = text.isBlank() ? description(html) : text;
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

  private static String description(String html) {
    Matcher media = MEDIA.matcher(html);
    while (media.find()) {
      for (Pattern attribute : DESCRIPTIONS) {
        Matcher found = attribute.matcher(media.group());
        if (found.find()) {
          String text = found.group(1) == null ? found.group(2) : found.group(1);
          if (!text.isBlank()) {
            return text;
          }
        }
      }
    }
    return "";
  }

  /** A comment or a tag that is not closed stays: it is text, as a "<" before a space is. */
  private static String withoutTags(String html) {
    StringBuilder out = new StringBuilder(html.length());
    Matcher hidden = HIDDEN.matcher(html);
    Lookahead ahead = new Lookahead(html);
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
        boolean empty = end >= 0 && html.charAt(end - 2) == '/';
        if (end >= 0 && !empty && hidden.region(open, html.length()).lookingAt()) {
          end = afterHidden(html, hidden.group(1), end, ahead);
        }
      }
      if (end < 0) {
        out.append('<');
      }
      at = end < 0 ? open + 1 : end;
    }
    return out.append(html, at, html.length()).toString();
  }

  /** Behind the end tag; where there is none, the element is its start tag. */
  private static int afterHidden(String html, String name, int from, Lookahead ahead) {
    int end = ahead.next("</" + name, from);
    int after = end >= html.length() ? -1 : afterTag(html, end + 1);
    return after < 0 ? from : after;
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

  /** The character of a named entity of HTML 5; null for a name that HTML does not know. */
  static @Nullable String entity(String name) {
    String characters = Entities.getByName(name);
    return characters.isEmpty() ? null : characters;
  }
}
