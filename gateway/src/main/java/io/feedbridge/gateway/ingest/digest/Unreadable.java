package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.NoFeed;
import io.feedbridge.normalizer.FeedParseException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Names the sort of a document that could not be read as a feed. */
final class Unreadable {

  /** Bytes at the beginning of a document that are looked at. */
  private static final int LOOKED_AT = 512;

  private static final String CONSEQUENCE = ": its bytes are followed, and it has no entries";

  private Unreadable() {}

  /**
   * The sort of a document, and the reason for which it has no entries.
   *
   * @param contentType as the origin sent it, if it did; the bytes decide before it
   */
  static NoFeed of(FeedParseException failure, byte[] body, @Nullable String contentType) {
    String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
    String begins = begin(body);
    boolean markup = begins.startsWith("<");
    if (isPage(begins) || (markup && failure.notAFeed() && type.contains("html"))) {
      return new NoFeed(NoFeed.Content.PAGE, "it is a web page, not a feed" + CONSEQUENCE);
    }
    String why =
        failure.notAFeed()
            ? "not a feed"
            : "it cannot be read as a feed: " + withoutStop(String.valueOf(failure.getMessage()));
    if (begins.startsWith("{") || begins.startsWith("[")) {
      String json = failure.notAFeed() ? "it is JSON, but not a JSON Feed" : why;
      return new NoFeed(NoFeed.Content.JSON, json + CONSEQUENCE);
    }
    String other = failure.notAFeed() ? (markup ? "it is XML, but " : "it is ") + why : why;
    return new NoFeed(NoFeed.Content.OTHER, other + CONSEQUENCE);
  }

  /** The sort of a selected part, in which nothing is wrong. */
  static NoFeed part(@Nullable String contentType) {
    boolean json = contentType != null && contentType.startsWith("application/json");
    return new NoFeed(json ? NoFeed.Content.JSON : NoFeed.Content.PAGE, null);
  }

  private static boolean isPage(String begins) {
    return begins.startsWith("<!doctype html") || begins.startsWith("<html");
  }

  private static String begin(byte[] body) {
    String text =
        new String(body, 0, Math.min(body.length, LOOKED_AT), StandardCharsets.ISO_8859_1);
    return text.replaceFirst("^\u00ef\u00bb\u00bf", "").strip().toLowerCase(Locale.ROOT);
  }

  private static String withoutStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }
}
