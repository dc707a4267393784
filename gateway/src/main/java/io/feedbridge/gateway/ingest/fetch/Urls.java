package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Fetched URLs, as bases for the relative URLs in their documents. */
public final class Urls {

  /** The base that leaves references as they are. */
  private static final URI NONE = URI.create("");

  private Urls() {}

  /** The final URL, as browsers read it if {@link URI} cannot. */
  public static URI base(String finalUrl, String topic) {
    return read(finalUrl).or(() -> read(topic)).orElse(NONE);
  }

  private static Optional<URI> read(String url) {
    try {
      return Optional.of(new URI(url));
    } catch (URISyntaxException odd) {
      return HttpReference.absolute(url);
    }
  }
}
