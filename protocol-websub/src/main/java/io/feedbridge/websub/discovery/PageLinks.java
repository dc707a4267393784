package io.feedbridge.websub.discovery;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * Reads the links in the head of an HTML page. Links in its body do not count: visitors may have
 * written them.
 */
final class PageLinks {
  /**
   * The part of a page that is read: enough for heads full of inlined styles, little enough to
   * parse.
   */
  private static final int MAX_LENGTH_IN_BYTES = 512 * 1024;

  private static final int SNIFFED_LENGTH_IN_BYTES = 1024;
  private static final Pattern CHARSET =
      Pattern.compile("charset\\s*=\\s*[\"']?([\\w.:+-]+)", Pattern.CASE_INSENSITIVE);

  private PageLinks() {}

  static boolean looksLikePage(@Nullable String contentType, byte[] body) {
    String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
    if (type.contains("html")) {
      return true;
    }
    int length = Math.min(body.length, SNIFFED_LENGTH_IN_BYTES);
    String start = new String(body, 0, length, ISO_8859_1).toLowerCase(Locale.ROOT);
    return start.contains("<!doctype html") || start.contains("<html");
  }

  static void read(byte[] body, @Nullable String contentType, URI finalUrl, FoundLinks found) {
    Element head = parse(body, contentType, finalUrl).head();
    Element base = head.selectFirst("base[href]");
    URI resolveFrom =
        base == null
            ? finalUrl
            : HttpReference.resolve(finalUrl, base.attr("href")).orElse(finalUrl);
    for (Element link : head.select("link[rel][href]")) {
      List<String> rels = List.of(link.attr("rel").strip().toLowerCase(Locale.ROOT).split("\\s+"));
      found.add(resolveFrom, rels, link.attr("href"), link.attr("type"), link.attr("title"));
    }
  }

  private static Document parse(byte[] body, @Nullable String contentType, URI finalUrl) {
    int length = Math.min(body.length, MAX_LENGTH_IN_BYTES);
    try (ByteArrayInputStream in = new ByteArrayInputStream(body, 0, length)) {
      return Jsoup.parse(in, charset(contentType), finalUrl.toString());
    } catch (IOException e) {
      return Document.createShell(finalUrl.toString());
    }
  }

  /** Null leaves it to the page's own meta element. */
  private static @Nullable String charset(@Nullable String contentType) {
    Matcher matcher = CHARSET.matcher(contentType == null ? "" : contentType);
    try {
      return matcher.find() && Charset.isSupported(matcher.group(1)) ? matcher.group(1) : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
