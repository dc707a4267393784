package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.server.message.Request;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which part of a list is asked for.
 *
 * @param limit items at most, 1 to {@value #MAX_LIMIT}
 * @param position behind which it begins, as the list itself wrote it into a cursor; empty for the
 *     first part
 */
public record Page(int limit, Optional<String> position) {

  static final int DEFAULT_LIMIT = 50;
  static final int MAX_LIMIT = 500;

  /** Characters of a text that a list is searched for. */
  private static final int MAX_TEXT = 200;

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  /**
   * The part that a request's {@code limit} and {@code cursor} name.
   *
   * @throws BadFieldException where they are wrong
   */
  public static Page of(Request request) {
    return new Page(
        parameter(request, "limit").map(Page::limit).orElse(DEFAULT_LIMIT),
        parameter(request, "cursor").map(Page::decode));
  }

  private static int limit(String text) {
    int limit = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new BadFieldException("limit", "a number from 1 to " + MAX_LIMIT + " is needed");
    }
    return limit;
  }

  private static String decode(String cursor) {
    try {
      return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
    } catch (IllegalArgumentException notBase64) {
      throw badCursor();
    }
  }

  public static BadFieldException badCursor() {
    return new BadFieldException("cursor", "it is not a cursor that this list gave");
  }

  /**
   * This part of a list.
   *
   * @param found from the position on, one more than {@link #limit} where there are more
   * @param position of an item, in ASCII
   */
  public <T> Answers.Items items(List<T> found, Function<T, ?> view, Function<T, String> position) {
    List<T> shown = found.subList(0, Math.min(limit, found.size()));
    String next =
        found.size() > limit
            ? ENCODER.encodeToString(
                position.apply(shown.get(limit - 1)).getBytes(StandardCharsets.US_ASCII))
            : null;
    return new Answers.Items(shown.stream().map(view).toList(), next);
  }

  /** This part of a list that goes on at a position behind it, as far as is known. */
  public <T> Answers.Items leadingOn(List<T> shown, Function<T, ?> view, String position) {
    String next = ENCODER.encodeToString(position.getBytes(StandardCharsets.US_ASCII));
    return new Answers.Items(shown.stream().map(view).toList(), next);
  }

  /** The text of parameter {@code q}, which a list's items must contain. */
  public static Optional<String> text(Request request) {
    Optional<String> text = parameter(request, "q");
    if (text.filter(given -> given.length() > MAX_TEXT).isPresent()) {
      throw new BadFieldException("q", "it must have at most %d characters".formatted(MAX_TEXT));
    }
    return text;
  }

  /** The one value of a parameter; an empty one counts as none. */
  public static Optional<String> parameter(Request request, String name) {
    List<String> values = request.query().getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw new BadFieldException(name, "it is given more than once");
    }
    return values.stream().filter(value -> !value.isEmpty()).findFirst();
  }
}
