package io.feedbridge.normalizer;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The references of a document that is mended: what XML does not know becomes what it means. */
final class References {
  private static final Pattern AMPERSAND =
      Pattern.compile("&(?:#(\\d{1,9});|#[xX]([0-9A-Fa-f]{1,8});|([A-Za-z][A-Za-z0-9]{1,31});)?");

  private final Map<String, String> entities = new HashMap<>();
  private boolean mended;

  /** Whether anything had to be mended so far. */
  boolean anyMended() {
    return mended;
  }

  /** Appends text or an attribute's value with its references mended, and nothing else changed. */
  void append(String text, StringBuilder out) {
    Matcher ampersand = AMPERSAND.matcher(text);
    int from = 0;
    while (ampersand.find()) {
      out.append(text, from, ampersand.start());
      String reference = ampersand.group();
      String known = known(reference, ampersand);
      mended |= !known.equals(reference);
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
      return meant == code ? reference : Character.toString(meant);
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
