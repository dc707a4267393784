package io.feedbridge.gateway.ingest;

import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** URLs that were fetched, as bases for the relative ones in what they gave. */
final class Urls {

  private Urls() {}

  /** The host of an http or https URL, with its port where it names one. */
  static String host(String url) {
    int start = url.indexOf("://") + 3;
    int end = start;
    while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    return url.substring(start, end).toLowerCase(Locale.ROOT);
  }

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
