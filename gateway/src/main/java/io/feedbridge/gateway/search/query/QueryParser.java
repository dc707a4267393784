package io.feedbridge.gateway.search.query;

import io.feedbridge.gateway.search.query.Query.All;
import io.feedbridge.gateway.search.query.Query.Any;
import io.feedbridge.gateway.search.query.Query.Comparison;
import io.feedbridge.gateway.search.query.Query.Figure;
import io.feedbridge.gateway.search.query.Query.Label;
import io.feedbridge.gateway.search.query.Query.Node;
import io.feedbridge.gateway.search.query.Query.Not;
import io.feedbridge.gateway.search.query.Query.Phrase;
import io.feedbridge.gateway.search.query.Query.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads queries. All words must be in an entry; {@code |} stands between alternatives and binds
 * closer than the space; {@code -} excludes; {@code "…"} is a phrase; parentheses group. {@code
 * site:}, {@code link:} and {@code language:} are conditions like words; {@code popularity:} and
 * {@code bozo:} are bounds for the whole query.
 */
public final class QueryParser {

  /** Characters of a query. */
  public static final int MAX_LENGTH = 1_024;

  /** Words, phrases and conditions of a query. */
  public static final int MAX_TERMS = 32;

  /** Parentheses in parentheses. */
  public static final int MAX_DEPTH = 5;

  private static final Pattern BOUND = Pattern.compile("(<=|>=|<|>|=)?(\\d{1,9}(?:\\.\\d{1,9})?)");

  private final String text;
  private final List<Range> ranges = new ArrayList<>();
  private boolean anyBozo;
  private int at;
  private int terms;
  private int depth;

  private QueryParser(String text) {
    this.text = text;
  }

  /**
   * Reads a query.
   *
   * @throws BadQueryException if the text is no query, or exceeds a bound
   */
  public static Query parse(String text) throws BadQueryException {
    if (text.length() > MAX_LENGTH) {
      throw new BadQueryException("the query is longer than %,d characters".formatted(MAX_LENGTH));
    }
    QueryParser parser = new QueryParser(text);
    Node root = parser.all();
    if (parser.at < text.length()) {
      throw new BadQueryException("a ) has no ( before it");
    }
    if (!parser.anyBozo) {
      parser.ranges.add(new Range(Figure.BOZO, Comparison.AT_MOST, Query.MAX_BOZO));
    }
    return new Query(root, parser.ranges);
  }

  private void space() {
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isSpace(char character) {
    return Character.isWhitespace(character) || Character.isSpaceChar(character);
  }

  private boolean isNext(char character) {
    space();
    return at < text.length() && text.charAt(at) == character;
  }

  private Node all() throws BadQueryException {
    List<Node> nodes = new ArrayList<>();
    space();
    while (at < text.length() && text.charAt(at) != ')') {
      nodes.addAll(alternatives());
      space();
    }
    if (nodes.stream().allMatch(Query::isNegative)) {
      throw new BadQueryException(
          nodes.isEmpty()
              ? "the query has no word, phrase, site:, link: or language: in it"
              : "the query excludes only: it needs a word, phrase, site:, link: or language: that"
                  + " an entry must have");
    }
    return nodes.size() == 1 ? nodes.get(0) : new All(nodes);
  }

  /** One condition, or none for a range, which is not a part of the tree. */
  private List<Node> alternatives() throws BadQueryException {
    int ranged = ranges.size();
    boolean bozo = anyBozo;
    List<Node> nodes = new ArrayList<>(term());
    boolean several = false;
    while (isNext('|')) {
      at++;
      several = true;
      nodes.addAll(term());
    }
    if (!several) {
      return nodes;
    }
    if (ranges.size() != ranged || anyBozo != bozo) {
      throw new BadQueryException("popularity: and bozo: cannot be one of several alternatives");
    }
    if (nodes.stream().anyMatch(Query::isNegative)) {
      throw new BadQueryException("an excluded term cannot be one of several alternatives");
    }
    return nodes.size() > 1 ? List.of(new Any(nodes)) : nodes;
  }

  private List<Node> term() throws BadQueryException {
    space();
    if (at < text.length() && text.charAt(at) == '-') {
      at++;
      if (at >= text.length() || isSpace(text.charAt(at)) || "-|)".indexOf(text.charAt(at)) >= 0) {
        throw new BadQueryException("a - stands before nothing that it could exclude");
      }
      int ranged = ranges.size();
      boolean bozo = anyBozo;
      List<Node> nodes = primary();
      if (ranges.size() != ranged || anyBozo != bozo) {
        throw new BadQueryException(
            "popularity: and bozo: cannot be excluded: turn the bound round");
      }
      return nodes.stream().<Node>map(Not::new).toList();
    }
    return primary();
  }

  private List<Node> primary() throws BadQueryException {
    if (at >= text.length() || text.charAt(at) == '|' || text.charAt(at) == ')') {
      throw new BadQueryException("a | stands beside nothing that it could be an alternative to");
    }
    if (++terms > MAX_TERMS) {
      throw new BadQueryException("the query has more than %d terms".formatted(MAX_TERMS));
    }
    return switch (text.charAt(at)) {
      case '(' -> List.of(group());
      case '"' -> {
        String quoted = quoted();
        yield words(quoted);
      }
      default -> word();
    };
  }

  private Node group() throws BadQueryException {
    if (++depth > MAX_DEPTH) {
      throw new BadQueryException(
          "the query has more than %d ( in each other".formatted(MAX_DEPTH));
    }
    at++;
    int ranged = ranges.size();
    boolean bozo = anyBozo;
    Node node = all();
    if (ranges.size() != ranged || anyBozo != bozo) {
      throw new BadQueryException("popularity: and bozo: cannot stand in parentheses");
    }
    if (at >= text.length()) {
      throw new BadQueryException("a ( is not closed");
    }
    at++;
    depth--;
    return node;
  }

  private String quoted() throws BadQueryException {
    int end = text.indexOf('"', at + 1);
    if (end < 0) {
      throw new BadQueryException("a \" is not closed");
    }
    String quoted = text.substring(at + 1, end);
    at = end + 1;
    return quoted;
  }

  private List<Node> word() throws BadQueryException {
    int start = at;
    while (at < text.length()
        && !isSpace(text.charAt(at))
        && "|()\"".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(start, at);
    int colon = word.indexOf(':');
    String key = colon < 0 ? "" : word.substring(0, colon).toLowerCase(Locale.ROOT);
    boolean known = Query.LABELS.contains(key) || key.equals("popularity") || key.equals("bozo");
    if (!known) {
      return words(word);
    }
    String value = word.substring(colon + 1);
    if (value.isEmpty() && at < text.length() && text.charAt(at) == '"') {
      value = quoted();
    }
    if (value.isEmpty()) {
      throw new BadQueryException("nothing stands after " + key + ":");
    }
    return condition(key, value);
  }

  private List<Node> condition(String key, String value) throws BadQueryException {
    switch (key) {
      case "site" -> {
        String host = Labels.host(value).orElse(Labels.plain(value.split("/", 2)[0]));
        return List.of(new Label(Labels.site(host)));
      }
      case "link" -> {
        return List.of(new Label(Labels.link(value)));
      }
      case "language" -> {
        return List.of(new Label(Labels.language(value)));
      }
      default -> {
        range(key, value);
        return List.of();
      }
    }
  }

  private void range(String key, String value) throws BadQueryException {
    boolean bozo = key.equals("bozo");
    if (bozo && value.equalsIgnoreCase("ok")) {
      anyBozo = true;
      return;
    }
    Matcher bound = BOUND.matcher(value);
    if (!bound.matches()) {
      throw new BadQueryException(
          key + ": must have a number, or a bound such as >10 or <=1" + (bozo ? ", or ok" : ""));
    }
    String sign = bound.group(1) == null ? "=" : bound.group(1);
    for (Comparison comparison : Comparison.values()) {
      if (comparison.sign().equals(sign)) {
        ranges.add(
            new Range(
                bozo ? Figure.BOZO : Figure.POPULARITY,
                comparison,
                Double.parseDouble(bound.group(2))));
      }
    }
    anyBozo |= bozo;
  }

  /** None for a text without a letter or a digit, such as a dash between two words. */
  private static List<Node> words(String text) throws BadQueryException {
    if (text.indexOf('*') >= 0) {
      throw new BadQueryException("a * is no wildcard here: leave it out");
    }
    List<String> words = Words.of(text);
    if (words.isEmpty()) {
      return List.of();
    }
    if (words.size() > MAX_TERMS) {
      throw new BadQueryException("a phrase has more than %d words".formatted(MAX_TERMS));
    }
    String first = words.get(0);
    boolean single =
        words.size() == 1
            && first.codePointCount(0, first.length()) == 1
            && Words.isInPairs(first.codePointAt(0));
    return List.of(single ? new Label(Labels.character(first.codePointAt(0))) : new Phrase(words));
  }
}
