package io.feedbridge.normalizer;

import java.util.Set;
import java.util.regex.Pattern;
import org.jdom2.Element;
import org.jdom2.Namespace;
import org.jspecify.annotations.Nullable;

/** The languages that a document declares, as tags of BCP 47. */
final class Languages {
  private static final int MAX_LENGTH = 64;
  private static final Pattern TAG = Pattern.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*");

  /** Elements whose own language is the entry's, since they hold its text. */
  private static final Set<String> CONTENT = Set.of("content", "encoded", "body", "div");

  private static final Set<String> SUMMARY = Set.of("summary", "description");

  private Languages() {}

  /**
   * The tag as it should have been written: with hyphens, and nothing but letters and digits
   * between them (RFC 5646 §2.1). Null for a text that is no tag.
   */
  static @Nullable String tag(@Nullable String text) {
    String tag = text == null ? "" : text.trim().replace('_', '-');
    return tag.length() <= MAX_LENGTH && TAG.matcher(tag).matches() ? tag : null;
  }

  /**
   * The language of an entry: its own {@code xml:lang}, of which the empty one says that none is
   * known (XML 1.0 §2.12); else Dublin Core's; else that of its content or summary; else that
   * around it.
   */
  static @Nullable String of(Element entry, @Nullable String around) {
    if (attribute(entry) != null) {
      return own(entry);
    }
    String dublin = tag(Vocabulary.DC.text(entry, "language"));
    if (dublin != null) {
      return dublin;
    }
    String content = null;
    String summary = null;
    for (Element child : entry.getChildren()) {
      String language = own(child);
      if (language != null && CONTENT.contains(child.getName())) {
        content = language;
      } else if (language != null && SUMMARY.contains(child.getName())) {
        summary = language;
      }
    }
    String said = content == null ? summary : content;
    return said == null ? around : said;
  }

  /** The language of a feed as {@code xml:lang} declares it, on its element or around it. */
  static @Nullable String declared(Element feed) {
    for (Element at = feed; at != null; at = at.getParentElement()) {
      if (attribute(at) != null) {
        return own(at);
      }
    }
    return null;
  }

  /** The {@code xml:lang} of the element itself. */
  static @Nullable String own(Element element) {
    return tag(attribute(element));
  }

  private static @Nullable String attribute(Element element) {
    return element.hasAttributes()
        ? element.getAttributeValue("lang", Namespace.XML_NAMESPACE)
        : null;
  }
}
