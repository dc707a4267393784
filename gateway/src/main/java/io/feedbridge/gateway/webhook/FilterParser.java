package io.feedbridge.gateway.webhook;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads one expression, by descent as deep as {@link Filter#MAX_DEPTH} allows. For one use. */
final class FilterParser {

  /** Ends a word beside white space. */
  private static final String SPECIAL = "()\":";

  private final String text;
  private int at;

  FilterParser(String text) {
    this.text = text;
  }

  Filter parse() throws BadFilterException {
    if (text.length() > Filter.MAX_LENGTH) {
      throw new BadFilterException(
          Filter.MAX_LENGTH + 1, "it is longer than " + Filter.MAX_LENGTH + " characters");
    }
    Filter filter = any(0);
    if (at < text.length()) {
      throw error("there is no ( for this )");
    }
    return filter;
  }

  private Filter any(int depth) throws BadFilterException {
    List<Filter> parts = new ArrayList<>(List.of(all(depth)));
    while (takes("OR")) {
      parts.add(all(depth));
    }
    return parts.size() == 1 ? parts.get(0) : new Filter.Or(parts);
  }

  private Filter all(int depth) throws BadFilterException {
    List<Filter> parts = new ArrayList<>(List.of(one(depth)));
    while (takes("AND") || begins()) {
      parts.add(one(depth));
    }
    return parts.size() == 1 ? parts.get(0) : new Filter.And(parts);
  }

  /** Whether another term follows: neither the end, nor a closing parenthesis, nor an OR. */
  private boolean begins() {
    skipSpace();
    return at < text.length() && text.charAt(at) != ')' && !isNext("OR");
  }

  private Filter one(int depth) throws BadFilterException {
    if (depth > Filter.MAX_DEPTH) {
      throw error("it is nested more than " + Filter.MAX_DEPTH + " deep");
    }
    if (takes("NOT")) {
      return new Filter.Not(one(depth + 1));
    }
    skipSpace();
    if (at < text.length() && text.charAt(at) == '(') {
      int open = at++;
      Filter inner = any(depth + 1);
      if (at >= text.length()) {
        throw new BadFilterException(open + 1, "there is no ) for this (");
      }
      at++;
      return inner;
    }
    return term();
  }

  private Filter term() throws BadFilterException {
    int start = at;
    String word = word();
    boolean named = !word.isEmpty() && next(at + word.length()) == ':';
    if (!named) {
      return new Filter.Term(Filter.Field.KEYWORD, value());
    }
    Optional<Filter.Field> field = Filter.Field.of(word);
    if (field.isEmpty()) {
      throw new BadFilterException(
          start + 1, "there is no such field; there are keyword, category, language, author");
    }
    at += word.length() + 1;
    return new Filter.Term(field.get(), value());
  }

  private String value() throws BadFilterException {
    if (next(at) == '"') {
      return quoted();
    }
    String word = word();
    if (word.isEmpty()) {
      throw error("a word or a \"text\" is missing");
    }
    if (isOperator(word)) {
      throw error(word + " needs a term on either side; as a word it is written \"" + word + "\"");
    }
    at += word.length();
    if (next(at) == ':') {
      throw error("a value with a colon is written in quotation marks");
    }
    return word;
  }

  private String quoted() throws BadFilterException {
    int open = at++;
    StringBuilder value = new StringBuilder();
    while (next(at) != '"') {
      if (next(at) == '\\') {
        at++;
      }
      if (at >= text.length()) {
        throw new BadFilterException(open + 1, "there is no \" at the end of this");
      }
      value.append(text.charAt(at++));
    }
    at++;
    if (value.toString().isBlank()) {
      throw new BadFilterException(open + 1, "the quotation marks are empty");
    }
    return value.toString().strip();
  }

  /** Takes an operator, if it comes next. */
  private boolean takes(String operator) {
    skipSpace();
    boolean there = isNext(operator);
    at += there ? operator.length() : 0;
    return there;
  }

  private boolean isNext(String operator) {
    return word().equals(operator) && next(at + operator.length()) != ':';
  }

  /** The word that comes next; empty if none does. */
  private String word() {
    int end = at;
    while (end < text.length()
        && !Character.isWhitespace(text.charAt(end))
        && SPECIAL.indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return text.substring(at, end);
  }

  private static boolean isOperator(String word) {
    return List.of("AND", "OR", "NOT").contains(word);
  }

  private char next(int index) {
    return index < text.length() ? text.charAt(index) : '\0';
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private BadFilterException error(String reason) {
    return new BadFilterException(at + 1, reason);
  }
}
