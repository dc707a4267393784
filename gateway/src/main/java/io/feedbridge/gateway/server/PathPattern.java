package io.feedbridge.gateway.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A path with variables, such as {@code /{year}/{month}/{day}/{hour}.xml}. Each segment is either
 * literal or one variable between literal text; a variable takes at least one character.
 */
final class PathPattern {
  /** Literal before variable, left to right: the order in which patterns are tried. */
  static final Comparator<PathPattern> MOST_SPECIFIC_FIRST =
      Comparator.comparing(PathPattern::specificity).reversed();

  private record Segment(String prefix, @Nullable String variable, String suffix) {
    boolean matches(String text) {
      if (variable == null) {
        return text.equals(prefix);
      }
      return text.length() > prefix.length() + suffix.length()
          && text.startsWith(prefix)
          && text.endsWith(suffix);
    }

    String valueIn(String text) {
      return text.substring(prefix.length(), text.length() - suffix.length());
    }

    /** Equal for two segments that match the same texts. */
    String shape() {
      return variable == null ? prefix : prefix + "{}" + suffix;
    }
  }

  private final String text;
  private final List<Segment> segments;

  private PathPattern(String text, List<Segment> segments) {
    this.text = text;
    this.segments = segments;
  }

  /**
   * @throws IllegalArgumentException if the pattern is malformed: a mistake of the program
   */
  static PathPattern of(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("a path pattern starts with a slash: " + text);
    }
    List<Segment> segments = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String part : text.substring(1).split("/", -1)) {
      Segment segment = segment(part, text);
      if (segment.variable() != null && !names.add(segment.variable())) {
        throw new IllegalArgumentException("a variable stands twice in " + text);
      }
      segments.add(segment);
    }
    return new PathPattern(text, List.copyOf(segments));
  }

  private static Segment segment(String part, String pattern) {
    int open = part.indexOf('{');
    int close = part.indexOf('}');
    if (open < 0 && close < 0) {
      return new Segment(part, null, "");
    }
    boolean single = open == part.lastIndexOf('{') && close == part.lastIndexOf('}');
    if (open < 0 || close < open + 2 || !single) {
      throw new IllegalArgumentException("one {variable} to a segment: " + pattern);
    }
    return new Segment(
        part.substring(0, open), part.substring(open + 1, close), part.substring(close + 1));
  }

  /** The variables' values if the path matches. */
  Optional<Map<String, String>> match(List<String> path) {
    if (path.size() != segments.size()) {
      return Optional.empty();
    }
    for (int i = 0; i < path.size(); i++) {
      if (!segments.get(i).matches(path.get(i))) {
        return Optional.empty();
      }
    }
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < path.size(); i++) {
      String variable = segments.get(i).variable();
      if (variable != null) {
        variables.put(variable, segments.get(i).valueIn(path.get(i)));
      }
    }
    return Optional.of(Map.copyOf(variables));
  }

  boolean isExact() {
    return segments.stream().allMatch(segment -> segment.variable() == null);
  }

  /** Equal for two patterns that match the same paths. */
  String shape() {
    return String.join("/", segments.stream().map(Segment::shape).toList());
  }

  private String specificity() {
    StringBuilder key = new StringBuilder();
    for (Segment segment : segments) {
      boolean partly = !segment.prefix().isEmpty() || !segment.suffix().isEmpty();
      key.append(segment.variable() == null ? '2' : partly ? '1' : '0');
    }
    return key.toString();
  }

  @Override
  public String toString() {
    return text;
  }
}
