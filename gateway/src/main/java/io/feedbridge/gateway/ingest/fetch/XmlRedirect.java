package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.Served;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A document in place of a feed that says where the feed is now.
 *
 * @param location absolute; empty where the feed is gone
 */
record XmlRedirect(Optional<String> location) {

  /** The longest document that is read: a redirect is a few lines long. */
  private static final int MAX_BYTES = 8 * 1024;

  /** The redirect that a document is, if it is one. */
  static Optional<XmlRedirect> in(byte[] body, String url) {
    if (body.length > MAX_BYTES
        || !new String(body, StandardCharsets.ISO_8859_1).contains("<redirect")) {
      return Optional.empty();
    }
    try {
      var unused = new FeedParser().parse(body, Served.at(new URI(url), null));
      return Optional.empty();
    } catch (FeedParseException e) {
      return e.kind() == FeedParseException.Kind.MOVED
          ? Optional.of(new XmlRedirect(Optional.ofNullable(e.newLocation())))
          : Optional.empty();
    } catch (URISyntaxException noBase) {
      return Optional.empty();
    }
  }
}
