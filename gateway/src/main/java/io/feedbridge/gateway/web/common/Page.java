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

  /** The last page that can be asked for by its number; cursors lead on behind it. */
  private static final int MAX_PAGE = 100_000;

  private static final String SKIPPED = "after-";

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
    return number("limit", text, MAX_LIMIT);
  }

  private static int number(String parameter, String text, int most) {
    int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
    if (number < 1 || number > most) {
      throw new BadFieldException(parameter, "a number from 1 to %,d is needed".formatted(most));
    }
    return number;
  }

  /**
   * The items to pass over, for a list that can be entered anywhere: by a request's {@code page},
   * or by the cursor of a list that has no other position. Empty where the request names none.
   */
  public Optional<Long> skipped(Request request) {
    Optional<Long> byCursor =
        position
            .filter(text -> text.matches(SKIPPED + "\\d{1,9}"))
            .map(text -> Long.valueOf(text.substring(SKIPPED.length())));
    Optional<String> page = parameter(request, "page");
    if (page.isPresent() && position.isPresent()) {
      throw new BadFieldException("page", "leave it out, or the cursor");
    }
    return page.map(text -> (number("page", text, MAX_PAGE) - 1L) * limit).or(() -> byCursor);
  }

  /** The position behind some items, for {@link #skipped}. */
  public static String after(long items) {
    return SKIPPED + items;
  }

  /** The value of a parameter that is true or false, and false where it is absent. */
  public static boolean flag(Request request, String name) {
    String value = parameter(request, name).orElse("false");
    if (!value.equals("true") && !value.equals("false")) {
      throw new BadFieldException(name, "it must be true or false");
    }
    return value.equals("true");
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
