package io.feedbridge.gateway.web.console.view;

import java.util.List;

/**
 * A kind of trouble that needs the operator.
 *
 * @param title the kind, such as "Feeds in error"
 * @param help the sentence about the remedy
 * @param all the page with all cases of this kind; empty for none
 * @param cases the first of them
 */
public record Attention(String title, String help, String all, List<Case> cases) {

  /**
   * One case.
   *
   * @param name of the feed, subscriber or endpoint
   * @param link to its page; empty for none
   * @param cause in a sentence
   * @param action the path of the form that helps; empty for none
   * @param button the text of its button
   */
  public record Case(String name, String link, String cause, String action, String button) {}
}
