package io.feedbridge.gateway.web.console.view;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a page around its contents.
 *
 * @param title of the page
 * @param section of the navigation that the page belongs to; empty for none
 * @param operator whether the reader may act as the operator
 * @param inSession whether the reader can sign out
 * @param guarded whether a reader can sign in
 * @param formToken that stands in each form
 * @param notice a sentence about the action that led here; absent for none
 * @param assets the URL of each file that pages load, by its name
 * @param clock for texts of times
 */
public record Frame(
    String title,
    String section,
    boolean operator,
    boolean inSession,
    boolean guarded,
    String formToken,
    @Nullable String notice,
    Map<String, String> assets,
    Text clock) {

  /** The URL of a file that pages load. */
  public String asset(String name) {
    String url = assets.get(name);
    if (url == null) {
      throw new IllegalArgumentException("there is no file " + name);
    }
    return url;
  }
}
