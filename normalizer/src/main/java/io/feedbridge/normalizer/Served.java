package io.feedbridge.normalizer;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * How a document was served: the facts about it beside its bytes.
 *
 * @param url where it was found in the end; it is the feed's id where the document gives none. An
 *     empty URI where there is no such place: relative URLs then stay relative
 * @param contentType the header of that name, for the charset
 * @param contentLanguage the header of that name, for a document that names no language; a list of
 *     several languages says nothing of any entry
 * @param contentLocation the header of that name, to which relative URLs are relative rather than
 *     to {@code url}
 */
public record Served(
    URI url,
    @Nullable String contentType,
    @Nullable String contentLanguage,
    @Nullable String contentLocation) {

  public Served {
    contentType = Present.text(contentType);
    contentLanguage = Present.text(contentLanguage);
    contentLocation = Present.text(contentLocation);
  }

  /** A document of which no header but its type is known. */
  public static Served at(URI url, @Nullable String contentType) {
    return new Served(url, contentType, null, null);
  }

  /** The base of the document's relative URLs, {@code xml:base} aside. */
  URI base() {
    return contentLocation == null ? url : Urls.rebased(url, contentLocation);
  }

  /** The one language the document is in; null for none or several. */
  @Nullable String language() {
    return contentLanguage == null || contentLanguage.indexOf(',') >= 0
        ? null
        : contentLanguage.trim();
  }
}
