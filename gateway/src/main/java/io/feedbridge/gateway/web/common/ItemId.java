package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.server.message.Request;
import java.util.Optional;
import java.util.regex.Pattern;

/** Ids of a list's items, where they are numbers from 1 on: in a path, and in the list's cursor. */
public final class ItemId {

  private static final Pattern WRITTEN = Pattern.compile("[1-9]\\d{0,17}");

  private ItemId() {}

  /** The id in a request's path; empty if no item can have it. */
  public static Optional<Long> in(Request request) {
    return parse(request.pathVariables().getOrDefault("id", ""));
  }

  /**
   * The one behind which a part of the list begins; 0 for the first part.
   *
   * @throws BadFieldException if the cursor holds none
   */
  public static long behind(Page page) {
    return page.position().map(text -> parse(text).orElseThrow(Page::badCursor)).orElse(0L);
  }

  private static Optional<Long> parse(String text) {
    return WRITTEN.matcher(text).matches() ? Optional.of(Long.valueOf(text)) : Optional.empty();
  }
}
