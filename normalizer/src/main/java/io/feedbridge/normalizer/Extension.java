package io.feedbridge.normalizer;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An element of an extension namespace as the source has it, where the model has no field for it.
 *
 * @param name the namespace's usual prefix, a colon and the local name, whatever prefix the source
 *     uses: {@code itunes:duration}; {@code json:_name} for an extension of JSON Feed, whose text
 *     is JSON
 * @param attributes by their local names, in document order; URLs are absolute where the document's
 *     base allows it
 * @param text the element's text, trimmed; null for none
 */
public record Extension(
    String name,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> attributes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String text,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Extension> children) {

  public Extension {
    name = name == null ? "" : name;
    attributes = Present.map(attributes);
    text = Present.text(text);
    children = Present.list(children);
  }

  static Extension text(String name, @Nullable String text) {
    return new Extension(name, Map.of(), text, List.of());
  }

  /** The name without its prefix. */
  String localName() {
    return name.substring(name.indexOf(':') + 1);
  }

  /** The prefix of the name. */
  String prefix() {
    return name.substring(0, Math.max(0, name.indexOf(':')));
  }

  /** The text of the first extension of this name; null where there is none. */
  static @Nullable String textOf(List<Extension> extensions, String name) {
    for (Extension extension : extensions) {
      if (extension.name.equals(name) && extension.text != null) {
        return extension.text;
      }
    }
    return null;
  }
}
