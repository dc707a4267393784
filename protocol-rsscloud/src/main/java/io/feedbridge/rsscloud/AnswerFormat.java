package io.feedbridge.rsscloud;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The two forms in which a cloud answers a REST call. */
public enum AnswerFormat {
  XML("text/xml; charset=utf-8"),
  JSON("application/json");

  private static final Pattern COMMA = Pattern.compile(",");
  private static final Pattern SEMICOLON = Pattern.compile(";");
  private static final Pattern WEIGHT = Pattern.compile("0(\\.\\d{0,3})?|1(\\.0{0,3})?");

  private final String contentType;

  AnswerFormat(String contentType) {
    this.contentType = contentType;
  }

  /** The content type to send the answer with; the text is encoded as UTF-8. */
  public String contentType() {
    return contentType;
  }

  /**
   * The form that a caller gets: JSON if its {@code Accept} header weighs application/json above
   * XML, or the same but names it where XML is only meant by a wildcard; else XML.
   *
   * @param accept the header's value, several joined by commas; null if there is none
   */
  public static AnswerFormat preferredBy(@Nullable String accept) {
    if (accept == null) {
      return XML;
    }
    Preference json = Preference.NONE;
    Preference textXml = Preference.NONE;
    Preference applicationXml = Preference.NONE;
    for (String range : COMMA.split(accept, -1)) {
      String[] parts = SEMICOLON.split(range, -1);
      String type = parts[0].strip().toLowerCase(Locale.ROOT);
      double weight = weight(parts);
      json = json.orCloser(type, "application/json", weight);
      textXml = textXml.orCloser(type, "text/xml", weight);
      applicationXml = applicationXml.orCloser(type, "application/xml", weight);
    }
    boolean preferred = json.isAbove(textXml) && json.isAbove(applicationXml);
    return preferred ? JSON : XML;
  }

  /** The {@code q} of a media range (RFC 9110, 12.4.2); one that cannot be read counts as none. */
  private static double weight(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip();
      if (parameter.regionMatches(true, 0, "q=", 0, 2)) {
        String value = parameter.substring(2).strip();
        return WEIGHT.matcher(value).matches() ? Double.parseDouble(value) : 0;
      }
    }
    return 1;
  }

  /** The weight that the closest media range seen so far gives a type (RFC 9110, 12.5.1). */
  private record Preference(int closeness, double weight) {

    static final Preference NONE = new Preference(0, 0);

    Preference orCloser(String range, String type, double rangeWeight) {
      int found = closeness(range, type);
      return found > closeness ? new Preference(found, rangeWeight) : this;
    }

    boolean isAbove(Preference other) {
      return weight > other.weight || (weight > 0 && weight == other.weight && closer(other));
    }

    private boolean closer(Preference other) {
      return closeness > other.closeness;
    }

    private static int closeness(String range, String type) {
      if (range.equals(type)) {
        return 3;
      }
      if (range.equals(type.substring(0, type.indexOf('/')) + "/*")) {
        return 2;
      }
      return range.equals("*/*") ? 1 : 0;
    }
  }
}
