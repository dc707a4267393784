package io.feedbridge.gateway.ingest;

import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.net.URISyntaxException;

/** URLs that were fetched, as bases for the relative ones in what they gave. */
final class Urls {

  private Urls() {}

  /** The final URL; where a redirect led to one that only browsers read, what they read in it. */
  static URI base(String finalUrl, String topic) {
    try {
      return new URI(finalUrl);
    } catch (URISyntaxException odd) {
      URI first = URI.create(topic);
      return HttpReference.resolve(first, finalUrl).orElse(first);
    }
  }
}
