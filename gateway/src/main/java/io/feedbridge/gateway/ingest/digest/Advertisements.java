package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Urls;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.rsscloud.CloudDiscovery;
import io.feedbridge.rsscloud.CloudEndpoint;
import io.feedbridge.websub.TopicUrl;
import io.feedbridge.websub.discovery.Discovered;
import io.feedbridge.websub.discovery.Discovery;
import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads from a fetch by which hubs and clouds its topic can be followed, and its guard. */
public final class Advertisements {

  /** Each one may cost a request that comes to nothing. */
  private static final int MAX_HUBS = 20;

  private Advertisements() {}

  public static Advertised of(
      FetchResult.Fresh fetch, String topic, String url, Optional<Feed> parsed) {
    URI base = Urls.base(fetch.way().url(), TopicUrl.document(topic));
    // Visitors may have written a part of a page: only the headers count.
    byte[] body = fetch.part() == null ? fetch.body() : new byte[0];
    String type = fetch.part() == null ? fetch.served().contentType() : null;
    Discovered discovered = Discovery.discover(base, fetch.linkHeaders(), type, body);
    // JSON Feed names its hubs and itself where only the normalizer looks, which passes on whatever
    // stands there.
    Stream<String> named = parsed.stream().flatMap(feed -> feed.hints().hubs().stream());
    Set<URI> hubs = new LinkedHashSet<>(discovered.hubs());
    named
        .limit(MAX_HUBS)
        .flatMap(hub -> HttpReference.resolve(base, hub).stream())
        .forEach(hubs::add);
    Optional<URI> self =
        discovered
            .self()
            .or(
                () ->
                    parsed
                        .flatMap(feed -> Optional.ofNullable(feed.hints().self()))
                        .flatMap(own -> HttpReference.resolve(base, own)));
    List<Advertised.Cloud> clouds =
        CloudDiscovery.all(body).stream()
            .filter(CloudEndpoint::isRegistrable)
            .map(
                cloud ->
                    new Advertised.Cloud(
                        secured(cloud.registrationUrl(), base),
                        cloud.protocol().wireName(),
                        cloud.protocol().isRest() ? null : cloud.registerProcedure()))
            .toList();
    String moved = moved(base, fetch.way().url(), url);
    return new Advertised(
        hubs.stream().limit(MAX_HUBS).map(URI::toString).toList(),
        self.map(URI::toString).orElse(moved),
        clouds,
        clouds.isEmpty() ? null : moved,
        discovered.guard().map(URI::toString).orElse(null));
  }

  /** A cloud element has no scheme: at the very port of an https feed only https is spoken. */
  private static String secured(String cloud, URI base) {
    String plain = "http://" + base.getRawAuthority() + "/";
    boolean same =
        "https".equals(base.getScheme()) && cloud.regionMatches(true, 0, plain, 0, plain.length());
    return same ? "https" + cloud.substring("http".length()) : cloud;
  }

  /** Without self, the topic is the URL that the content came from in the end (rule S1). */
  private static @Nullable String moved(URI base, String finalUrl, String url) {
    return finalUrl.equals(url)
        ? null
        : HttpReference.resolve(base, "").map(URI::toString).orElse(null);
  }
}
