package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.rsscloud.CloudDiscovery;
import io.feedbridge.rsscloud.CloudEndpoint;
import io.feedbridge.websub.discovery.Discovered;
import io.feedbridge.websub.discovery.Discovery;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads from a fetch by which hubs and clouds its topic can be followed. */
final class Advertisements {

  private Advertisements() {}

  static Advertised of(FetchResult.Fresh fetch, String topic, Optional<Feed> parsed) {
    URI base = Urls.base(fetch.finalUrl(), topic);
    Discovered discovered =
        Discovery.discover(base, fetch.linkHeaders(), fetch.contentType(), fetch.body());
    Set<String> hubs = new LinkedHashSet<>();
    discovered.hubs().forEach(hub -> hubs.add(hub.toString()));
    // JSON Feed names its hubs where only the normalizer looks.
    parsed.ifPresent(feed -> hubs.addAll(feed.hints().hubs()));
    List<Advertised.Cloud> clouds =
        CloudDiscovery.find(fetch.body())
            .filter(CloudEndpoint::isRegistrable)
            .map(
                cloud -> new Advertised.Cloud(cloud.registrationUrl(), cloud.protocol().wireName()))
            .map(List::of)
            .orElse(List.of());
    return new Advertised(
        List.copyOf(hubs), discovered.self().map(URI::toString).orElse(null), clouds);
  }
}
