package io.feedbridge.gateway.webhook.targets;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Plain text in Markdown. */
final class Markdown {

  private static final Pattern SIGNS = Pattern.compile("[\\\\`*_~|<>\\[\\]()#+!-]");

  /** Stands behind an @, so that a name is none. */
  private static final String NO_MENTION = "@\u200b";

  private Markdown() {}

  /** A text that is shown as it stands, and mentions no member. */
  static String escaped(String text) {
    return SIGNS.matcher(text).replaceAll("\\\\$0").replace("@", NO_MENTION);
  }

  /**
   * A link.
   *
   * @param text escaped
   * @param url absent for the text alone
   */
  static String link(String text, @Nullable String url) {
    return url == null
        ? text
        : "[%s](%s)".formatted(text, url.replace("(", "%28").replace(")", "%29"));
  }
}
