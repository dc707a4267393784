package io.feedbridge.gateway.search.query;

import io.feedbridge.gateway.search.query.Query.All;
import io.feedbridge.gateway.search.query.Query.Any;
import io.feedbridge.gateway.search.query.Query.Comparison;
import io.feedbridge.gateway.search.query.Query.Field;
import io.feedbridge.gateway.search.query.Query.Figure;
import io.feedbridge.gateway.search.query.Query.Label;
import io.feedbridge.gateway.search.query.Query.Node;
import io.feedbridge.gateway.search.query.Query.Not;
import io.feedbridge.gateway.search.query.Query.Phrase;
import io.feedbridge.gateway.search.query.Query.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads queries of searches and trackers, and filters of webhooks.
 *
 * <pre>
 *   query        = all { "OR" all }
 *   all          = alternatives { [ "AND" ] alternatives }
 *   alternatives = one { "|" one }
 *   one          = [ "NOT" | "-" ] ( "(" query ")" | [ field ":" ] ( word | '"' text '"' ) )
 * </pre>
 *
 * The fields are {@code keyword}, which is none, {@code category}, {@code author}, {@code
 * language}, {@code site} and {@code link}. {@code popularity:} and {@code bozo:} are bounds for
 * the whole of a query. For one use.
 */
public final class QueryParser {

  /** Characters of a query. */
  public static final int MAX_LENGTH = 1_024;

  /** Words, phrases and conditions of a query; a filter has no bound but its length. */
  public static final int MAX_TERMS = 32;

  /** Parentheses in parentheses of a query. */
  public static final int MAX_DEPTH = 5;

  /** Parentheses and NOT in each other of a filter. */
  public static final int MAX_FILTER_DEPTH = 16;

  private static final Pattern BOUND = Pattern.compile("(<=|>=|<|>|=)?(\\d{1,9}(?:\\.\\d{1,9})?)");

  /** Ends a word beside white space. */
  private static final String SPECIAL = "|()\"";

  private static final String KEYWORD = "keyword";
  private static final Map<String, Figure> FIGURES =
      Map.of("popularity", Figure.POPULARITY, "bozo", Figure.BOZO);
  private static final Map<String, Field> FIELDS =
      Map.of(
          "site", Field.SITE,
          "link", Field.LINK,
          "language", Field.LANGUAGE,
          "category", Field.CATEGORY,
          "author", Field.AUTHOR);

  private final String text;

  /** A filter is tried on entries that are at hand: no index has to begin with a word of it. */
  private final boolean filter;

  private final List<Range> ranges = new ArrayList<>();
  private boolean anyBozo;
  private int at;
  private int terms;
  private int depth;

  private QueryParser(String text, boolean filter) {
    this.text = text;
    this.filter = filter;
  }

  /**
   * Reads a query for an index.
   *
   * @throws BadQueryException if the text is no query, or exceeds a bound
   */
  public static Query parse(String text) throws BadQueryException {
    QueryParser parser = new QueryParser(text, false);
    Node root = parser.whole();
    if (!parser.anyBozo) {
      parser.ranges.add(new Range(Figure.BOZO, Comparison.AT_MOST, Query.MAX_BOZO));
    }
    return new Query(root, parser.ranges);
  }

  /**
   * Reads a filter, which may exclude alone.
   *
   * @throws BadQueryException if the text is no filter, or exceeds a bound
   */
  public static Query filter(String text) throws BadQueryException {
    return new Query(new QueryParser(text, true).whole(), List.of());
  }

  private Node whole() throws BadQueryException {
    if (text.length() > MAX_LENGTH) {
      at = MAX_LENGTH;
      throw error("it is longer than %,d characters".formatted(MAX_LENGTH));
    }
    Node root = any();
    if (at < text.length()) {
      throw error("there is no ( for this )");
    }
    return root;
  }

  private Node any() throws BadQueryException {
    int ranged = bounds();
    List<Node> nodes = new ArrayList<>(List.of(all()));
    while (takes("OR")) {
      nodes.add(all());
      unbound(ranged, "one of several alternatives");
    }
    return nodes.size() == 1 ? nodes.get(0) : new Any(nodes);
  }

  private Node all() throws BadQueryException {
    int start = at;
    List<Node> nodes = new ArrayList<>(alternatives());
    while (takes("AND") || begins()) {
      nodes.addAll(alternatives());
    }
    if (!filter && nodes.stream().allMatch(Not.class::isInstance)) {
      at = start;
      throw error(
          nodes.isEmpty()
              ? "there is no word, phrase or field that an entry must have"
              : "it excludes only: it needs a word, phrase or field that an entry must have");
    }
    return nodes.size() == 1 ? nodes.get(0) : new All(nodes);
  }

  /** Whether another condition follows: neither the end, nor a closing parenthesis, nor an OR. */
  private boolean begins() {
    space();
    return at < text.length() && text.charAt(at) != ')' && !isNext("OR");
  }

  /** One condition, or none for a range, which is not a part of the tree. */
  private List<Node> alternatives() throws BadQueryException {
    int ranged = bounds();
    List<Node> nodes = new ArrayList<>(one());
    space();
    if (next(at) != '|') {
      return nodes;
    }
    while (next(at) == '|') {
      at++;
      nodes.addAll(one());
      unbound(ranged, "one of several alternatives");
      space();
    }
    if (!filter && nodes.stream().anyMatch(Not.class::isInstance)) {
      throw error("an excluded term cannot be one of several alternatives");
    }
    return nodes.size() > 1 ? List.of(new Any(nodes)) : nodes;
  }

  private List<Node> one() throws BadQueryException {
    space();
    boolean excluded = next(at) == '-' && isExcluded(next(at + 1));
    if (!excluded && !isNext("NOT")) {
      if (next(at) == '-' && !filter) {
        throw error("a - stands before nothing that it could exclude");
      }
      return primary();
    }
    int ranged = bounds();
    at += excluded ? 1 : "NOT".length();
    List<Node> nodes = excluded ? primary() : denied();
    unbound(ranged, "excluded: turn the bound round");
    return nodes.stream().map(QueryParser::not).toList();
  }

  private List<Node> denied() throws BadQueryException {
    deeper();
    List<Node> nodes = one();
    depth--;
    return nodes;
  }

  private static Node not(Node node) {
    return node instanceof Not twice ? twice.node() : new Not(node);
  }

  private static boolean isExcluded(char after) {
    return !isSpace(after) && "-|)\0".indexOf(after) < 0;
  }

  private List<Node> primary() throws BadQueryException {
    space();
    if (++terms > MAX_TERMS && !filter) {
      throw error("it has more than %d terms".formatted(MAX_TERMS));
    }
    return next(at) == '(' ? List.of(group()) : term();
  }

  private Node group() throws BadQueryException {
    int open = at++;
    int ranged = bounds();
    deeper();
    Node node = any();
    unbound(ranged, "in parentheses");
    if (at >= text.length()) {
      at = open;
      throw error("there is no ) for this (");
    }
    at++;
    depth--;
    return node;
  }

  private void deeper() throws BadQueryException {
    int most = filter ? MAX_FILTER_DEPTH : MAX_DEPTH;
    if (++depth > most) {
      throw error("it has more than %d ( or NOT in each other".formatted(most));
    }
  }

  private List<Node> term() throws BadQueryException {
    String word = word();
    int colon = word.indexOf(':');
    String name = colon < 0 ? "" : word.substring(0, colon).toLowerCase(Locale.ROOT);
    boolean field = FIELDS.containsKey(name) || name.equals(KEYWORD);
    if (field || (FIGURES.containsKey(name) && !filter)) {
      at += colon + 1;
      return condition(name, value());
    }
    if (filter && colon > 0) {
      throw error(
          "there is no such field; there are keyword, category, author, language, site, link");
    }
    return words(value());
  }

  private List<Node> condition(String name, String value) throws BadQueryException {
    Figure figure = FIGURES.get(name);
    if (figure != null) {
      range(name, figure, value);
      return List.of();
    }
    Field field = FIELDS.get(name);
    return field == null ? words(value) : List.of(new Label(field, label(field, value), value));
  }

  private static String label(Field field, String value) {
    return switch (field) {
      case SITE -> Labels.site(Labels.host(value).orElse(Labels.plain(value.split("/", 2)[0])));
      case LINK -> Labels.link(value);
      case LANGUAGE -> Labels.language(value);
      case CATEGORY -> Labels.category(value);
      case AUTHOR -> Labels.author(value);
      case CHARACTER -> Labels.character(value.codePointAt(0));
    };
  }

  private String value() throws BadQueryException {
    if (next(at) == '"') {
      return quoted();
    }
    String word = word();
    if (word.isEmpty() || (filter && word.equals(":"))) {
      throw error("a word or a \"text\" is missing");
    }
    if (List.of("AND", "OR", "NOT").contains(word)) {
      throw error(word + " needs a term on either side; as a word it is written \"" + word + "\"");
    }
    at += word.length();
    return word;
  }

  private String quoted() throws BadQueryException {
    int open = at++;
    StringBuilder value = new StringBuilder();
    while (next(at) != '"') {
      if (next(at) == '\\') {
        at++;
      }
      if (at >= text.length()) {
        at = open;
        throw error("there is no \" at the end of this");
      }
      value.append(text.charAt(at++));
    }
    at++;
    if (value.toString().isBlank()) {
      at = open;
      throw error("the quotation marks are empty");
    }
    return value.toString().strip();
  }

  private void range(String name, Figure figure, String value) throws BadQueryException {
    boolean bozo = figure == Figure.BOZO;
    anyBozo |= bozo;
    if (bozo && value.equalsIgnoreCase("ok")) {
      return;
    }
    Matcher bound = BOUND.matcher(value);
    if (!bound.matches()) {
      throw error(
          name + ": must have a number, or a bound such as >10 or <=1" + (bozo ? ", or ok" : ""));
    }
    String sign = bound.group(1) == null ? "=" : bound.group(1);
    for (Comparison comparison : Comparison.values()) {
      if (comparison.sign().equals(sign)) {
        ranges.add(new Range(figure, comparison, Double.parseDouble(bound.group(2))));
      }
    }
  }

  /** The bounds of figures so far, {@code bozo:ok} included. */
  private int bounds() {
    return ranges.size() + (anyBozo ? 1 : 0);
  }

  private void unbound(int before, String place) throws BadQueryException {
    if (bounds() != before) {
      throw error("popularity: and bozo: cannot be " + place);
    }
  }

  /** For an index, none for a text without a letter or a digit: a dash between two words. */
  private List<Node> words(String written) throws BadQueryException {
    List<String> words = Words.of(written);
    if (filter) {
      return List.of(new Phrase(words, written));
    }
    if (written.indexOf('*') >= 0) {
      throw error("a * is no wildcard here: leave it out");
    }
    if (words.isEmpty()) {
      return List.of();
    }
    if (words.size() > MAX_TERMS) {
      throw error("a phrase has more than %d words".formatted(MAX_TERMS));
    }
    String first = words.get(0);
    boolean single =
        words.size() == 1
            && first.codePointCount(0, first.length()) == 1
            && Words.isInPairs(first.codePointAt(0));
    return List.of(
        single
            ? new Label(Field.CHARACTER, label(Field.CHARACTER, first), written)
            : new Phrase(words, written));
  }

  /** Takes an operator, if it comes next. */
  private boolean takes(String operator) {
    space();
    boolean there = isNext(operator);
    at += there ? operator.length() : 0;
    return there;
  }

  private boolean isNext(String operator) {
    return word().equals(operator);
  }

  /** The word that comes next; empty if none does. */
  private String word() {
    int end = at;
    while (end < text.length()
        && !isSpace(text.charAt(end))
        && SPECIAL.indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return text.substring(at, end);
  }

  private char next(int index) {
    return index < text.length() ? text.charAt(index) : '\0';
  }

  private void space() {
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isSpace(char character) {
    return Character.isWhitespace(character) || Character.isSpaceChar(character);
  }

  private BadQueryException error(String reason) {
    return new BadQueryException(at + 1, reason);
  }
}
