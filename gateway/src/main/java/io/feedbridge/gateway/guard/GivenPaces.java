package io.feedbridge.gateway.guard;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The paces of requests that the operator gives for sites. All hosts of a pattern share one pace.
 * Immutable.
 */
public final class GivenPaces {

  /** The most paces that may be given. */
  public static final int MAX = 1_000;

  /** No pace. */
  public static final GivenPaces NONE = new GivenPaces(List.of());

  private static final Pattern LINE =
      Pattern.compile("((?:\\*\\.)?[\\p{L}\\p{N}._:\\[\\]-]{1,253})=(\\S+)");

  private final List<String> texts;
  private final List<Given> all;

  /**
   * A pace.
   *
   * @param pattern a host, which stands for the hosts below it too; {@code *.} and a host for the
   *     hosts below it alone; or a host and a port
   * @param pace the time between two requests
   */
  public record Given(String pattern, Duration pace) {

    private boolean matches(String host, String authority) {
      if (pattern.startsWith("*.")) {
        return host.endsWith(pattern.substring(1));
      }
      return authority.equals(pattern) || host.equals(pattern) || host.endsWith("." + pattern);
    }
  }

  private GivenPaces(List<String> texts) {
    this.texts = List.copyOf(texts);
    // The longest pattern is the narrowest one.
    all =
        texts.stream()
            .map(GivenPaces::given)
            .sorted(Comparator.comparingInt((Given one) -> one.pattern.length()).reversed())
            .toList();
  }

  /**
   * Paces as they are written.
   *
   * @param texts each as {@code PATTERN=N/DURATION}
   * @throws IllegalArgumentException naming one that is none
   */
  public static GivenPaces of(List<String> texts) {
    if (texts.size() > MAX) {
      throw new IllegalArgumentException("more than %d paces".formatted(MAX));
    }
    return new GivenPaces(texts);
  }

  private static Given given(String text) {
    Matcher parts = LINE.matcher(text);
    Optional<Rate> rate = parts.matches() ? Rate.parse(parts.group(2)) : Optional.empty();
    return rate.filter(one -> !one.isNone())
        .map(
            one ->
                new Given(
                    parts.group(1).toLowerCase(Locale.ROOT), one.time().dividedBy(one.count())))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' is not PATTERN=N/DURATION, such as reddit.com=1/60s".formatted(text)));
  }

  /** The pace of a host, by the narrowest pattern. */
  public Optional<Given> of(String host, String authority) {
    return all.stream().filter(one -> one.matches(host, authority)).findFirst();
  }

  /** The paces as they were written; equal texts mean equal paces. */
  @Override
  public String toString() {
    return String.join(",", texts);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GivenPaces paces && paces.texts.equals(texts);
  }

  @Override
  public int hashCode() {
    return texts.hashCode();
  }
}
