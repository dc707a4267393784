package io.feedbridge.normalizer;

import java.util.Arrays;

/**
 * The tags of an XML document, one after the other, by their places in its text. It tells tags from
 * comments, CDATA, instructions and quotes, and checks nothing more. For a well-formed document it
 * gives exactly the tags, for another one anything. It is several times as fast as a reader that
 * checks every character. Not thread-safe.
 */
final class XmlTags {
  private static final int OF_ATTRIBUTE = 4;
  private static final String XMLNS = "xmlns";

  private final String text;
  private final NameCount names = new NameCount();
  private int elements;

  private int start;
  private int end;
  private int local;
  private int nameEnd;
  private boolean closing;
  private boolean empty;
  private boolean declaring;

  /** Of each attribute where its name and its value begin and end. */
  private int[] attributes = new int[8 * OF_ATTRIBUTE];

  private int attributesEnd;

  XmlTags(String text) throws UnsureException {
    this.text = text;
    if (text.startsWith("<?xml")) {
      end = after("?>", 0);
      // In XML 1.1 other characters are allowed than in 1.0
      require(text.lastIndexOf("1.1", end) < 0);
    }
  }

  /** Goes to the next tag; false where there is none any more. */
  boolean next() throws UnsureException {
    while (true) {
      int open = text.indexOf('<', end);
      if (open < 0) {
        return false;
      }
      switch (at(open + 1)) {
        case '!' -> end = afterDeclaration(open);
        case '?' -> end = afterInstruction(open);
        case '/' -> {
          start = open;
          closing = true;
          end = after(">", open);
          return true;
        }
        default -> {
          start = open;
          closing = false;
          opening();
          return true;
        }
      }
    }
  }

  private int afterInstruction(int open) throws UnsureException {
    int close = after("?>", open + 2);
    int to = open + 2;
    while (to < close - 2 && text.charAt(to) > ' ') {
      to++;
    }
    require(names.admits(text, open + 2, to));
    return close;
  }

  private int afterDeclaration(int open) throws UnsureException {
    if (text.startsWith("<!--", open)) {
      return after("-->", open + 4);
    }
    if (text.startsWith("<![CDATA[", open)) {
      return after("]]>", open + 9);
    }
    // A DOCTYPE may declare entities, which are not read here
    int at = open + 2;
    while (at(at) != '>') {
      char c = at(at);
      require(c != '[' && c != '<');
      at = c == '"' || c == '\'' ? after(c, at + 1) : at + 1;
    }
    return at + 1;
  }

  private void opening() throws UnsureException {
    require(++elements < Limits.MAX_ELEMENTS);
    local = start + 1;
    int at = local;
    for (char c = at(at); c > ' ' && c != '>' && c != '/'; c = at(++at)) {
      if (c == ':') {
        local = at + 1;
      }
    }
    nameEnd = at;
    require(local < nameEnd && names.admits(text, local, nameEnd));
    attributesEnd = 0;
    declaring = false;
    at = afterSpace(at);
    while (at(at) != '>' && at(at) != '/') {
      at = afterSpace(afterAttribute(at));
    }
    empty = at(at) == '/';
    end = empty ? at + 2 : at + 1;
    require(at(end - 1) == '>');
  }

  private int afterAttribute(int from) throws UnsureException {
    int to = from;
    int own = from;
    for (char c = at(to); c > ' ' && c != '='; c = at(++to)) {
      if (c == ':') {
        own = to + 1;
      }
    }
    boolean plainXmlns = to - from == XMLNS.length() && text.startsWith(XMLNS, from);
    declaring |= plainXmlns || text.startsWith(XMLNS + ":", from);
    require(plainXmlns || names.admits(text, own, to));
    int at = afterSpace(to);
    require(at(at) == '=');
    at = afterSpace(at + 1);
    char quote = at(at);
    require(quote == '"' || quote == '\'');
    int after = after(quote, at + 1);
    if (attributesEnd == attributes.length) {
      require(attributesEnd <= Limits.MAX_ATTRIBUTES * OF_ATTRIBUTE);
      attributes = Arrays.copyOf(attributes, 2 * attributesEnd);
    }
    attributes[attributesEnd++] = from;
    attributes[attributesEnd++] = to;
    attributes[attributesEnd++] = at + 1;
    attributes[attributesEnd++] = after - 1;
    return after;
  }

  private int afterSpace(int from) throws UnsureException {
    int at = from;
    while (at(at) <= ' ') {
      at++;
    }
    return at;
  }

  private int after(char c, int from) throws UnsureException {
    int at = text.indexOf(c, from);
    require(at >= 0);
    return at + 1;
  }

  private int after(String mark, int from) throws UnsureException {
    int at = text.indexOf(mark, from);
    require(at >= 0);
    return at + mark.length();
  }

  private char at(int index) throws UnsureException {
    require(index < text.length());
    return text.charAt(index);
  }

  private static void require(boolean plain) throws UnsureException {
    if (!plain) {
      throw new UnsureException();
    }
  }

  /** Where the tag begins. */
  int start() {
    return start;
  }

  /** Behind the tag. */
  int end() {
    return end;
  }

  /** Whether it ends an element. */
  boolean isClosing() {
    return closing;
  }

  /** Whether it is all there is of its element. */
  boolean isEmpty() {
    return empty;
  }

  /** Whether it declares a namespace. */
  boolean isDeclaring() {
    return declaring;
  }

  /** The name of its element, without the prefix; of a tag that begins one. */
  String localName() {
    return text.substring(local, nameEnd);
  }

  /** The prefix of its element; empty for none. */
  String prefix() {
    return local == start + 1 ? "" : text.substring(start + 1, local - 1);
  }

  /** How many attributes it has, declarations of namespaces included. */
  int attributeCount() {
    return attributesEnd / OF_ATTRIBUTE;
  }

  /** The name of an attribute, with its prefix. */
  String attributeName(int index) {
    int at = index * OF_ATTRIBUTE;
    return text.substring(attributes[at], attributes[at + 1]);
  }

  /** The value of an attribute, trimmed. */
  String attributeValue(int index) throws UnsureException {
    int at = index * OF_ATTRIBUTE;
    String value = text(attributes[at + 2], attributes[at + 3]);
    require(value.chars().noneMatch(c -> c < ' '));
    return value;
  }

  /**
   * The characters that stand for themselves, are referred to or are in CDATA, from one place to
   * another, between which there are no tags; trimmed.
   */
  String text(int begin, int end) throws UnsureException {
    int from = begin;
    int to = end;
    while (from < to && text.charAt(from) <= ' ') {
      from++;
    }
    while (from < to && text.charAt(to - 1) <= ' ') {
      to--;
    }
    int at = from;
    while (at < to && isItself(text.charAt(at))) {
      at++;
    }
    return at == to ? text.substring(from, to) : read(from, at, to).trim();
  }

  private String read(int from, int plainTo, int to) throws UnsureException {
    StringBuilder out = new StringBuilder(to - from);
    out.append(text, from, plainTo);
    int at = plainTo;
    while (at < to) {
      char c = text.charAt(at);
      if (c == '&') {
        int semicolon = after(';', at);
        require(semicolon <= to);
        out.appendCodePoint(referred(text.substring(at + 1, semicolon - 1)));
        at = semicolon;
      } else if (c == '<') {
        at = append(out, at);
      } else {
        require(c != '\r');
        out.append(c);
        at++;
      }
    }
    return out.toString();
  }

  private static boolean isItself(char c) {
    return c != '&' && c != '<' && c != '\r';
  }

  /** Passes over markup that is no tag, of which only CDATA is text. */
  private int append(StringBuilder out, int at) throws UnsureException {
    if (!text.startsWith("<![CDATA[", at)) {
      return at(at + 1) == '!' ? afterDeclaration(at) : after("?>", at);
    }
    int after = after("]]>", at);
    String data = text.substring(at + 9, after - 3);
    require(data.indexOf('\r') < 0);
    out.append(data);
    return after;
  }

  private static int referred(String reference) throws UnsureException {
    return switch (reference) {
      case "amp" -> '&';
      case "lt" -> '<';
      case "gt" -> '>';
      case "quot" -> '"';
      case "apos" -> '\'';
      default -> character(reference);
    };
  }

  private static int character(String reference) throws UnsureException {
    boolean hex = reference.startsWith("#x");
    require(hex || reference.startsWith("#"));
    try {
      int code = Integer.parseInt(reference.substring(hex ? 2 : 1), hex ? 16 : 10);
      require(code >= ' ' && Character.isValidCodePoint(code));
      return code;
    } catch (NumberFormatException none) {
      throw new UnsureException();
    }
  }
}
