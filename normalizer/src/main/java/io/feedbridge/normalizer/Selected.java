package io.feedbridge.normalizer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The selected part of a document.
 *
 * @param contentType of {@code markup}: HTML or JSON, in UTF-8
 * @param markup the elements as they stand in the page, one below the other; or the value, or the
 *     array of the values, without white space
 * @param text the text that a reader of the part sees
 * @param title of the document; null where it has none
 * @param count of elements or values
 */
public record Selected(
    String contentType, String markup, String text, @Nullable String title, int count) {

  static final String HTML = "text/html; charset=utf-8";
  static final String JSON = "application/json; charset=utf-8";

  private static final int MAX_TITLE = 150;

  /** The part in UTF-8. */
  public byte[] bytes() {
    return markup.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The part as it is now, as the only entry of a feed: each change of a part is an entry.
   *
   * @param topic with the selection
   * @param document the URL of the document, to which the entry leads
   * @param now when it was found; another time gives another entry
   */
  public Feed asFeed(String topic, String document, Instant now) {
    byte[] name =
        (topic + "\n" + now.toEpochMilli() + "\n" + markup).getBytes(StandardCharsets.UTF_8);
    boolean html = contentType.equals(HTML);
    Entry entry =
        new Entry(
            "urn:uuid:" + UUID.nameUUIDFromBytes(name),
            false,
            shortened(),
            now,
            now,
            html ? new Content(Content.HTML, markup, null, document) : Content.text(markup),
            null,
            List.of(new Link("alternate", document, html ? "text/html" : null, null, null)),
            List.of(),
            List.of(),
            null,
            List.of(),
            List.of(),
            null,
            null);
    return Feed.bare(topic, title == null ? document : title).withEntries(List.of(entry));
  }

  private String shortened() {
    int length = text.codePointCount(0, text.length());
    if (text.isEmpty()) {
      return title == null ? "The selected part changed" : title;
    }
    return length <= MAX_TITLE
        ? text
        : text.substring(0, text.offsetByCodePoints(0, MAX_TITLE)) + "…";
  }
}
