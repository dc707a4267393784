package io.feedbridge.normalizer;

import java.util.Locale;
import java.util.Set;
import org.jdom2.Attribute;
import org.jdom2.Content;
import org.jdom2.Element;
import org.jdom2.Text;
import org.jdom2.filter.Filters;

/** Markup inside a document as the text that an HTML reader understands. */
final class Markup {
  private static final Set<String> VOID =
      Set.of(
          "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
          "source", "track", "wbr");

  /** Elements that a reader sees though they have no text. */
  private static final Set<String> MEDIA =
      Set.of("img", "audio", "video", "iframe", "object", "embed");

  private static final String XHTML = "http://www.w3.org/1999/xhtml";

  private Markup() {}

  /** The text where there is nothing but text, else the markup between the element's tags. */
  static String textOrMarkup(Element element) {
    return element.getChildren().isEmpty() ? element.getText() : inner(element);
  }

  /** The children in XML, read as XHTML: without prefixes, and no self-closing but void tags. */
  static String inner(Element element) {
    StringBuilder out = new StringBuilder();
    content(element, XHTML, out);
    return out.toString();
  }

  /** Whether an image or a player stands in an element. */
  static boolean hasMedia(Element element) {
    for (Element inner : element.getDescendants(Filters.element())) {
      if (MEDIA.contains(inner.getName().toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  /** The children in XML, each with the namespace it is in. */
  static String innerXml(Element element) {
    StringBuilder out = new StringBuilder();
    content(element, "", out);
    return out.toString();
  }

  private static void content(Element parent, String inherited, StringBuilder out) {
    for (Content child : parent.getContent()) {
      if (child instanceof Text text) {
        escape(text.getText(), out, false);
      } else if (child instanceof Element element) {
        element(element, inherited, out);
      }
    }
  }

  private static void element(Element element, String inherited, StringBuilder out) {
    Vocabulary vocabulary = Vocabulary.of(element);
    // Markup that forgot its namespace is in the feed's, and is XHTML all the same
    boolean html = vocabulary == Vocabulary.RSS || vocabulary.isAtom();
    boolean same = vocabulary == Vocabulary.OTHER || (html && inherited.equals(XHTML));
    String in = same ? inherited : element.getNamespaceURI();
    out.append('<').append(element.getName());
    if (!in.equals(inherited)) {
      attribute("xmlns", in, out);
    }
    for (Attribute attribute : element.getAttributes()) {
      attribute(attribute.getQualifiedName(), attribute.getValue(), out);
    }
    if (element.getContent().isEmpty() && (!in.equals(XHTML) || VOID.contains(element.getName()))) {
      out.append(" />");
      return;
    }
    out.append('>');
    content(element, in, out);
    out.append("</").append(element.getName()).append('>');
  }

  private static void attribute(String name, String value, StringBuilder out) {
    out.append(' ').append(name).append("=\"");
    escape(value, out, true);
    out.append('"');
  }

  private static void escape(String text, StringBuilder out, boolean quote) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append(quote ? "&quot;" : "\"");
        default -> out.append(c);
      }
    }
  }
}
