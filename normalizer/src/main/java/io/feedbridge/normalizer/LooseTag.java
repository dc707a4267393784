package io.feedbridge.normalizer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jdom2.Verifier;

/**
 * A tag as a forgiving reader sees it: attributes without quotes, without a value, twice, with
 * {@code <} and {@code &} in them. Markup that looks like a tag and is none is text.
 *
 * @param kind the kind of markup
 * @param name as it is written; for text the name that a tag would have there, empty for none
 * @param attributes by name in order, the first of each, without names that XML does not allow
 * @param empty whether the tag closes itself
 * @param end behind the tag, or behind the text that was read as none: never at its beginning
 */
record LooseTag(
    LooseTag.Kind kind, String name, Map<String, String> attributes, boolean empty, int end) {

  enum Kind {
    START,
    END,
    TEXT,
    /** The document ends in the middle of it. */
    CUT
  }

  private static final String SPACE = " \t\r\n";

  /** Characters of a name that has characters which a name cannot have. */
  private static final int MAX_ODD_NAME = 40;

  private static final Pattern ODD = Pattern.compile("[^A-Za-z0-9_.:-]");

  /** Reads the markup that begins with the {@code <} at {@code from}. */
  static LooseTag at(String xml, int from) {
    boolean closing = xml.startsWith("</", from);
    int start = from + (closing ? 2 : 1);
    int at = start;
    while (at < xml.length() && isNameChar(xml.charAt(at))) {
      at++;
    }
    if (at == xml.length()) {
      return other(Kind.CUT, at);
    }
    String name = xml.substring(start, at);
    if (!isName(name) || (SPACE + "/><").indexOf(xml.charAt(at)) < 0) {
      return odd(xml, closing, start);
    }
    return closing ? closing(xml, name, at) : new Attributes(xml, at).tag(name);
  }

  /** Markup that begins as a tag does, with a name that XML does not allow. */
  private static LooseTag odd(String xml, boolean closing, int start) {
    int at = start;
    while (at < xml.length()
        && at - start < MAX_ODD_NAME
        && (SPACE + "<>/\"'=").indexOf(xml.charAt(at)) < 0) {
      at++;
    }
    if (at == start || !isLocalName(xml, start)) {
      return other(Kind.TEXT, Math.max(at, start));
    }
    String legal = ODD.matcher(xml.substring(start, at)).replaceAll("_");
    boolean holder = isName(legal) && FeedTags.isHolder(legal);
    String name = holder ? legal : legal.replace(':', '_');
    if (closing) {
      boolean ends = at < xml.length() && xml.charAt(at) == '>';
      return ends ? closing(xml, name, at) : other(Kind.TEXT, at);
    }
    LooseTag tag = new Attributes(xml, at).tag(name);
    return tag.kind == Kind.START
        ? new LooseTag(Kind.TEXT, name, tag.attributes, tag.empty, tag.end)
        : tag;
  }

  private static LooseTag closing(String xml, String name, int from) {
    int at = from;
    while (at < xml.length() && xml.charAt(at) != '>' && xml.charAt(at) != '<') {
      at++;
    }
    // Without its bracket, too, an end tag has the name of the element that it closes
    int end = at < xml.length() && xml.charAt(at) == '>' ? at + 1 : at;
    return new LooseTag(Kind.END, name, Map.of(), false, end);
  }

  private static LooseTag other(Kind kind, int end) {
    return new LooseTag(kind, "", Map.of(), false, end);
  }

  private static boolean isNameChar(char c) {
    return Verifier.isXMLNameCharacter(c);
  }

  /** A name with at most one prefix. */
  static boolean isName(String name) {
    int colon = name.indexOf(':');
    return isLocalName(name, colon + 1)
        && (colon < 0 || isLocalName(name.substring(0, colon), 0))
        && name.indexOf(':', colon + 1) < 0;
  }

  private static boolean isLocalName(String name, int from) {
    return from < name.length()
        && name.charAt(from) != ':'
        && Verifier.isXMLNameStartCharacter(name.charAt(from));
  }

  /** Reads the text behind a start tag's name once. */
  private static final class Attributes {
    private final String xml;
    private final Map<String, String> found = new LinkedHashMap<>();
    private int at;

    Attributes(String xml, int from) {
      this.xml = xml;
      this.at = from;
    }

    LooseTag tag(String name) {
      while (at < xml.length()) {
        char c = xml.charAt(at);
        if (c == '>') {
          return new LooseTag(Kind.START, name, found, xml.charAt(at - 1) == '/', at + 1);
        }
        if (c == '<') {
          return new LooseTag(Kind.TEXT, name, found, false, at);
        }
        if (isNameChar(c)) {
          attribute();
        } else {
          at++;
        }
      }
      return other(Kind.CUT, at);
    }

    private void attribute() {
      int from = at;
      while (at < xml.length() && isNameChar(xml.charAt(at))) {
        at++;
      }
      String name = xml.substring(from, at);
      skipSpace();
      String value = name;
      if (at < xml.length() && xml.charAt(at) == '=') {
        at++;
        skipSpace();
        value = value();
      }
      if (isName(name) && found.size() <= Limits.MAX_ATTRIBUTES) {
        found.putIfAbsent(name, value);
      }
    }

    private String value() {
      char quote = at < xml.length() ? xml.charAt(at) : ' ';
      int end = quote == '"' || quote == '\'' ? xml.indexOf(quote, at + 1) : -1;
      if (end >= 0 && !isBeyondTag(at + 1, end)) {
        String value = xml.substring(at + 1, end);
        at = end + 1;
        return value;
      }
      int from = quote == '"' || quote == '\'' ? at + 1 : at;
      while (at < xml.length() && (SPACE + "><").indexOf(xml.charAt(at)) < 0) {
        at++;
      }
      int to = at > from && at < xml.length() && xml.startsWith("/>", at - 1) ? at - 1 : at;
      return xml.substring(Math.min(from, to), to);
    }

    /** Whether a tag ends and another begins before the quote, which belongs to that one. */
    private boolean isBeyondTag(int from, int to) {
      boolean ended = false;
      for (int i = from; i < to; i++) {
        char c = xml.charAt(i);
        if (ended && c == '<') {
          return true;
        }
        ended |= c == '>';
      }
      return false;
    }

    private void skipSpace() {
      while (at < xml.length() && SPACE.indexOf(xml.charAt(at)) >= 0) {
        at++;
      }
    }
  }
}
