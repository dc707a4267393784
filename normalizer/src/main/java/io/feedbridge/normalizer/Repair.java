package io.feedbridge.normalizer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a forgiving reader does to XML that is not well-formed, tried only after a strict reading
 * failed: most documents need none of it.
 */
final class Repair {
  private static final Pattern DECLARATION = Pattern.compile("^\\s*<\\?xml\\b[^>]*\\?>");
  private static final Pattern CDATA =
      Pattern.compile("<!\\[CDATA\\[.*?(?:]]>|\\z)", Pattern.DOTALL);
  private static final Pattern AMPERSAND =
      Pattern.compile("&(?:#(\\d{1,9});|#[xX]([0-9A-Fa-f]{1,8});|([A-Za-z][A-Za-z0-9]{1,31});)?");

  private static final Pattern PREFIX = Pattern.compile("</?([A-Za-z][A-Za-z0-9_-]{0,40}):");
  private static final int MAX_PREFIXES = 50;
  private static final Map<String, String> KNOWN =
      Map.of(
          "atom", Vocabulary.ATOM.namespace().getURI(),
          "content", Vocabulary.CONTENT.namespace().getURI(),
          "dc", Vocabulary.DC.namespace().getURI(),
          "dcterms", Vocabulary.DCTERMS.namespace().getURI(),
          "itunes", Vocabulary.ITUNES.namespace().getURI(),
          "media", Vocabulary.MEDIA.namespace().getURI(),
          "georss", Vocabulary.GEORSS.namespace().getURI(),
          "sy", Vocabulary.SYNDICATION.namespace().getURI(),
          "wfw", Vocabulary.WFW.namespace().getURI(),
          "rdf", Vocabulary.RDF.namespace().getURI());

  private final StringBuilder out;
  private final Map<String, String> entities = new HashMap<>();
  private boolean mended;

  private Repair(int length) {
    out = new StringBuilder(length);
  }

  /** The document with what can be mended mended; each kind of mending is noted once. */
  static String mend(String xml, List<String> repairs) {
    String legal = XmlChars.legal(xml);
    if (legal.length() < xml.length()) {
      repairs.add("Characters that XML does not allow were dropped.");
    }
    // Of a string there is nothing to declare, and what it says may be what is wrong
    String body = DECLARATION.matcher(legal).replaceFirst("");
    Repair repair = new Repair(body.length() + 64);
    Matcher cdata = CDATA.matcher(body);
    int from = 0;
    while (cdata.find()) {
      repair.ampersands(body.substring(from, cdata.start()));
      repair.out.append(cdata.group());
      from = cdata.end();
    }
    repair.ampersands(body.substring(from));
    if (repair.mended) {
      repairs.add("Undeclared entities and stray ampersands were read as HTML has them.");
    }
    if (body.lastIndexOf('<') > body.lastIndexOf('>')) {
      repairs.add("The last tag was closed.");
      repair.out.append('>');
    }
    return declared(repair.out, repairs);
  }

  /** Declares the prefixes that are used and nowhere declared, as what they are known for. */
  private static String declared(StringBuilder xml, List<String> repairs) {
    String text = xml.toString();
    Set<String> undeclared = new TreeSet<>();
    Matcher prefixes = PREFIX.matcher(text);
    while (prefixes.find() && undeclared.size() < MAX_PREFIXES) {
      undeclared.add(prefixes.group(1));
    }
    undeclared.removeIf(prefix -> text.contains("xmlns:" + prefix));
    int root = XmlProlog.root(text);
    if (undeclared.isEmpty() || root < 0) {
      return text;
    }
    repairs.add(
        "Undeclared namespace prefixes were declared: " + String.join(", ", undeclared) + ".");
    int end = root + 1;
    while (end < text.length() && " \t\r\n/>".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    StringBuilder declarations = new StringBuilder();
    for (String prefix : undeclared) {
      declarations.append(" xmlns:").append(prefix).append("=\"");
      declarations.append(KNOWN.getOrDefault(prefix, "urn:x-undeclared:" + prefix)).append('"');
    }
    return xml.insert(end, declarations).toString();
  }

  private void ampersands(String text) {
    Matcher ampersand = AMPERSAND.matcher(text);
    int from = 0;
    while (ampersand.find()) {
      out.append(text, from, ampersand.start());
      String reference = ampersand.group();
      String mendedReference = reference(reference, ampersand);
      mended |= !mendedReference.equals(reference);
      out.append(mendedReference);
      from = ampersand.end();
    }
    out.append(text, from, text.length());
  }

  private String reference(String reference, Matcher parts) {
    String decimal = parts.group(1);
    String hex = parts.group(2);
    String name = parts.group(3);
    if (decimal != null || hex != null) {
      long code = decimal != null ? Long.parseLong(decimal) : Long.parseLong(hex, 16);
      return code <= Character.MAX_CODE_POINT && XmlChars.isLegal((int) code) ? reference : "";
    }
    if (name == null) {
      return "&amp;";
    }
    return switch (name) {
      case "amp", "lt", "gt", "quot", "apos" -> reference;
      default -> entities.computeIfAbsent(name, Repair::entity);
    };
  }

  private static String entity(String name) {
    String character = HtmlText.entity(name);
    return character == null ? "&amp;" + name + ";" : character;
  }
}
