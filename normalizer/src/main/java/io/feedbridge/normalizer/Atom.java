package io.feedbridge.normalizer;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** Atom's elements, of either version, wherever they stand. */
final class Atom {
  private Atom() {}

  static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Element child : parent.getChildren()) {
      if (child.getName().equals(name) && Vocabulary.of(child).isAtom()) {
        found.add(child);
      }
    }
    return found;
  }

  static @Nullable Element child(Element parent, String name) {
    List<Element> found = children(parent, name);
    return found.isEmpty() ? null : found.get(0);
  }

  static @Nullable String text(Element parent, String name) {
    Element child = child(parent, name);
    return child == null ? null : Vocabulary.textOf(child);
  }

  static @Nullable Instant date(Element parent, String... names) {
    for (String name : names) {
      Instant last = null;
      for (Element element : children(parent, name)) {
        Instant date = Dates.parse(Vocabulary.textOf(element));
        last = date == null ? last : date;
      }
      if (last != null) {
        return last;
      }
    }
    return null;
  }

  /** The plain text of a title or subtitle, whatever its type. */
  static @Nullable String plain(Element parent, String name) {
    Element child = child(parent, name);
    return child == null ? null : plain(child);
  }

  /** The plain text of a text construct, whatever its type. */
  static @Nullable String plain(Element element) {
    Content content = content(element);
    String text = content.asText();
    if (text == null && content.carriesBase64()) {
      // A text construct has no media types (RFC 4287 §3.1.1): not base64, but a text
      text = element.getText();
    }
    if (text == null) {
      return null;
    }
    // Titles are escaped once too often as well as not at all
    boolean plain = content.type().equals(Content.TEXT);
    return Present.text((plain ? text : HtmlText.titleOfMarkup(HtmlText.plain(text))).trim());
  }

  /** The same, with its base where it has relative URLs. */
  static Content content(Element element, URI base) {
    Content content = content(element);
    return content.isHtml() ? content.at(Urls.base(element, base)) : content;
  }

  /** A text construct or content (RFC 4287 §3.1, §4.1.3), or its like in Atom 0.3. */
  static Content content(Element element) {
    String type = Vocabulary.attribute(element, "type");
    String mime = type == null ? Content.TEXT : type.toLowerCase(Locale.ROOT);
    String src = Vocabulary.attribute(element, "src");
    boolean markup = !element.getChildren().isEmpty();
    if ("base64".equals(Vocabulary.attribute(element, "mode"))) {
      Content binary = base64("application/octet-stream", element.getText());
      String text = binary.asText();
      return text == null ? binary : new Content(textType(mime), text, src);
    }
    return switch (mime) {
      case "html", "text/html" -> new Content(Content.HTML, Markup.textOrMarkup(element), src);
      case "xhtml", "application/xhtml+xml" -> xhtml(element, src);
      case "text", "text/plain" ->
          markup ? xhtml(element, src) : new Content(Content.TEXT, element.getText(), src);
      default -> other(element, mime, src);
    };
  }

  private static Content other(Element element, String mime, @Nullable String src) {
    if (mime.indexOf('/') < 0) {
      return new Content(Content.TEXT, Markup.textOrMarkup(element), src);
    }
    if (Content.isXml(mime)) {
      return new Content(mime, Markup.innerXml(element), src);
    }
    if (src != null || mime.startsWith("text/")) {
      return new Content(mime, element.getText(), src);
    }
    return base64(mime, element.getText());
  }

  private static Content base64(String mime, String text) {
    String compact = text.replaceAll("\\s+", "");
    try {
      return new Content(mime, Base64.getEncoder().encodeToString(decode(compact)), null);
    } catch (IllegalArgumentException plainAfterAll) {
      return Content.text(text);
    }
  }

  private static byte[] decode(String compact) {
    return Base64.getDecoder().decode(compact);
  }

  private static String textType(String mime) {
    return mime.contains("html") ? Content.HTML : Content.TEXT;
  }

  /** RFC 4287 §3.1.1.3: the wrapping div is not part of the content. */
  private static Content xhtml(Element element, @Nullable String src) {
    List<Element> children = element.getChildren();
    if (children.isEmpty()) {
      return new Content(Content.HTML, element.getText(), src);
    }
    boolean wrapped = children.size() == 1 && children.get(0).getName().equals("div");
    Element around = wrapped ? children.get(0) : element;
    return new Content(Content.XHTML, Markup.inner(around), src);
  }
}
