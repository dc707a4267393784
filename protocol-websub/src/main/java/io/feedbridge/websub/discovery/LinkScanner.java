package io.feedbridge.websub.discovery;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads one value of a {@code Link} header from left to right. */
final class LinkScanner {
  private final String text;
  private int at;

  /** Set once a quotation mark had no partner: none after it is looked for again. */
  private boolean quotesAreBroken;

  LinkScanner(String text) {
    this.text = text;
  }

  void read(List<Link> links, int maxLinks) {
    while (links.size() < maxLinks) {
      int open = text.indexOf('<', at);
      int close = text.indexOf('>', open + 1);
      if (open < 0 || close < 0) {
        return;
      }
      // A bracket that was never closed: no URL contains one, so the link begins at the last.
      open = text.lastIndexOf('<', close);
      at = close + 1;
      Map<String, String> params = params();
      String rel = params.remove("rel");
      links.add(
          new Link(
              text.substring(open + 1, close).strip(), relsOf(rel == null ? "" : rel), params));
    }
  }

  private static List<String> relsOf(String value) {
    String[] rels = value.strip().toLowerCase(Locale.ROOT).split("\\s+");
    return Arrays.stream(rels).filter(rel -> !rel.isEmpty()).toList();
  }

  /** Reads up to the comma that ends the link. */
  private Map<String, String> params() {
    Map<String, String> params = new LinkedHashMap<>();
    skipTo(";,");
    while (at < text.length() && text.charAt(at) == ';') {
      at++;
      String name = upTo("=;,").strip().toLowerCase(Locale.ROOT);
      String value = "";
      if (at < text.length() && text.charAt(at) == '=') {
        at++;
        value = value(name);
        skipTo(";,");
      }
      if (!name.isEmpty() && !name.endsWith("*")) {
        // RFC 8288 §3.3: all but the first of the same name are to be ignored.
        params.putIfAbsent(name, value);
      }
    }
    return params;
  }

  private String value(String name) {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
    if (at == text.length() || text.charAt(at) != '"') {
      return bare();
    }
    at++;
    return quotesAreBroken ? bare() : quoted(name);
  }

  private String quoted(String name) {
    StringBuilder value = new StringBuilder();
    for (int i = at; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        at = i + 1;
        return value.toString();
      }
      if (c == '<' && name.equals("rel")) {
        // No relation type contains it: the quotation mark is missing, and this is the next link.
        return bare();
      }
      if (c == '\\' && i + 1 < text.length()) {
        i++;
      }
      value.append(text.charAt(i));
    }
    quotesAreBroken = true;
    return bare();
  }

  private String bare() {
    String value = upTo(";,").strip();
    int from = 0;
    int to = value.length();
    while (from < to && isQuote(value.charAt(from))) {
      from++;
    }
    while (to > from && isQuote(value.charAt(to - 1))) {
      to--;
    }
    return value.substring(from, to);
  }

  private static boolean isQuote(char c) {
    return c == '"' || c == '\'';
  }

  private String upTo(String delimiters) {
    int start = at;
    skipTo(delimiters);
    return text.substring(start, at);
  }

  private void skipTo(String delimiters) {
    while (at < text.length() && delimiters.indexOf(text.charAt(at)) < 0) {
      at++;
    }
  }
}
