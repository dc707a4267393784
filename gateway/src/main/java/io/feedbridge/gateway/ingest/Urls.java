package io.feedbridge.gateway.ingest;

import java.net.URI;
import java.net.URISyntaxException;

/** URLs that were fetched, as bases for the relative ones in what they gave. */
final class Urls {

  private Urls() {}

  /** The final URL, or the topic where a redirect led to one that only browsers read. */
  static URI base(String finalUrl, String topic) {
    try {
      return new URI(finalUrl);
    } catch (URISyntaxException odd) {
      return URI.create(topic);
    }
  }
}
