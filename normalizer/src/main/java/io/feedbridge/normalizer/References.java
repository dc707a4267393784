package io.feedbridge.normalizer;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The references of a document that is mended: a reference that XML does not know becomes its
 * character.
 */
final class References {
  private static final Pattern AMPERSAND =
      Pattern.compile("&(?:#(\\d{1,9});|#[xX]([0-9A-Fa-f]{1,8});|([A-Za-z][A-Za-z0-9]{0,31});)?");

  private final DeclaredEntities declared;
  private final Map<String, String> entities = new HashMap<>();
  private boolean mended;
  private boolean expanded;

  References(DeclaredEntities declared) {
    this.declared = declared;
  }

  /** Whether anything had to be mended so far. */
  boolean anyMended() {
    return mended;
  }

  /** Whether an entity that the document declares was replaced by its text so far. */
  boolean anyExpanded() {
    return expanded;
  }

  /** Appends text or an attribute's value with its references mended, and nothing else changed. */
  void append(String text, StringBuilder out) {
    Matcher ampersand = AMPERSAND.matcher(text);
    int from = 0;
    while (ampersand.find()) {
      out.append(text, from, ampersand.start());
      String reference = ampersand.group();
      String own = ampersand.group(3) == null ? null : declared.text(ampersand.group(3));
      String known = own == null ? known(reference, ampersand) : own;
      expanded |= own != null;
      mended |= own == null && !known.equals(reference);
      out.append(known);
      from = ampersand.end();
    }
    out.append(text, from, text.length());
  }

  private String known(String reference, Matcher parts) {
    String decimal = parts.group(1);
    String hex = parts.group(2);
    String name = parts.group(3);
    if (decimal != null || hex != null) {
      long code = decimal != null ? Long.parseLong(decimal) : Long.parseLong(hex, 16);
      if (code > Character.MAX_CODE_POINT || !XmlChars.isLegal((int) code)) {
        return "";
      }
      int meant = C1Controls.meant((int) code);
      String written = hex == null ? reference : "&#x" + hex + ";";
      return meant == code ? written : Character.toString(meant);
    }
    if (name == null) {
      return "&amp;";
    }
    return switch (name) {
      case "amp", "lt", "gt", "quot", "apos" -> reference;
      default -> entities.computeIfAbsent(name, References::entity);
    };
  }

  private static String entity(String name) {
    String character = HtmlText.entity(name);
    return character == null ? "&amp;" + name + ";" : character;
  }
}
