package io.feedbridge.normalizer;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The content or summary of an entry, with the meaning of RFC 4287 §4.1.3.
 *
 * @param type {@code text}, {@code html}, {@code xhtml} or a MIME type
 * @param value plain text; HTML markup; the markup inside XHTML's wrapping div; for a MIME type
 *     text, XML markup, or base64 without white space where {@link #carriesBase64()}
 * @param src where the content is to be found, if it is not here
 * @param base the absolute URL that the markup's relative URLs are relative to; null where it has
 *     none
 */
public record Content(String type, String value, @Nullable String src, @Nullable String base) {

  static final String TEXT = "text";
  static final String HTML = "html";
  static final String XHTML = "xhtml";

  public Content {
    type = type == null || type.isBlank() ? TEXT : type;
    value = value == null ? "" : value;
    src = Present.text(src);
    base = Present.text(base);
  }

  /** Content without a relative URL. */
  public Content(String type, String value, @Nullable String src) {
    this(type, value, src, null);
  }

  /** Plain text. */
  public static Content text(String value) {
    return new Content(TEXT, value, null);
  }

  /** HTML markup, not sanitised. */
  public static Content html(String value) {
    return new Content(HTML, value, null);
  }

  /** Whether the value is HTML markup, XHTML included. */
  boolean isHtml() {
    return switch (type.toLowerCase(Locale.ROOT)) {
      case HTML, XHTML, "text/html", "application/xhtml+xml" -> true;
      default -> false;
    };
  }

  /** The same content, with its base where it has a relative URL. */
  Content at(URI around) {
    boolean relative = src == null && isHtml() && HtmlUrls.hasRelative(value);
    return relative && Urls.isHttp(around.toString())
        ? new Content(type, value, null, around.toString())
        : this;
  }

  /** {@link #asText()} with absolute URLs in markup. */
  public @Nullable String absolute() {
    String text = asText();
    if (text == null || base == null) {
      return text;
    }
    try {
      return HtmlUrls.absolute(text, new URI(base));
    } catch (URISyntaxException unusable) {
      return text;
    }
  }

  /** Whether RFC 4287 §4.1.3.3 wants base64 for this type: neither text, markup nor XML. */
  public boolean carriesBase64() {
    String mime = type.toLowerCase(Locale.ROOT);
    return mime.indexOf('/') >= 0 && !mime.startsWith("text/") && !isXml(mime);
  }

  static boolean isXml(String type) {
    String mime = type.toLowerCase(Locale.ROOT);
    return mime.endsWith("/xml") || mime.endsWith("+xml") || mime.equals(XHTML);
  }

  /** The content as text or markup; null where it is binary or lies elsewhere. */
  public @Nullable String asText() {
    if (value.isEmpty()) {
      return null;
    }
    if (!carriesBase64()) {
      return value;
    }
    try {
      String decoded =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(Base64.getDecoder().decode(value)))
              .toString();
      return decoded.indexOf('\0') < 0 ? decoded : null;
    } catch (IllegalArgumentException | CharacterCodingException binary) {
      return null;
    }
  }
}
