package io.feedbridge.gateway.manual;

import java.util.ArrayList;
import java.util.List;

/**
 * The string literals of a Java file, without its comments. Literals that are joined by {@code +}
 * are one, since a sentence is often broken over lines.
 */
final class Literals {

  /** A literal, and the line on which it begins. */
  record Literal(int line, String text) {}

  private final String source;
  private final List<Literal> found = new ArrayList<>();
  private int at;
  private int line = 1;

  private Literals(String source) {
    this.source = source;
  }

  static List<Literal> of(String source) {
    return new Literals(source).read();
  }

  private List<Literal> read() {
    boolean joined = false;
    while (at < source.length()) {
      if (source.startsWith("//", at)) {
        skipTo("\n");
      } else if (source.startsWith("/*", at)) {
        skipTo("*/");
      } else if (source.charAt(at) == '\'') {
        quoted("'");
        joined = false;
      } else if (source.charAt(at) == '"') {
        int begin = line;
        String text = quoted(source.startsWith("\"\"\"", at) ? "\"\"\"" : "\"");
        int last = found.size() - 1;
        if (joined) {
          found.set(last, new Literal(found.get(last).line(), found.get(last).text() + text));
        } else {
          found.add(new Literal(begin, text));
        }
        joined = true;
      } else {
        joined &= source.charAt(at) == '+' || Character.isWhitespace(source.charAt(at));
        step();
      }
    }
    return found;
  }

  private String quoted(String quote) {
    at += quote.length();
    int start = at;
    while (!source.startsWith(quote, at)) {
      if (source.charAt(at) == '\\') {
        step();
      }
      step();
    }
    String text = source.substring(start, at);
    at += quote.length();
    return text;
  }

  private void skipTo(String end) {
    while (at < source.length() && !source.startsWith(end, at)) {
      step();
    }
    at = Math.min(at + (end.equals("\n") ? 0 : end.length()), source.length());
  }

  private void step() {
    if (source.charAt(at) == '\n') {
      line++;
    }
    at++;
  }
}
