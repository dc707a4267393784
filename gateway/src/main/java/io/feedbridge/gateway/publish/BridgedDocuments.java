package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Newest;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.JsonFeedWriter;
import io.feedbridge.normalizer.PushOffer;
import io.feedbridge.normalizer.RssWriter;
import io.feedbridge.normalizer.SuperfeedrAtom;
import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes bridged feeds out of what is stored of the feeds. Thread-safe; blocks on the store. */
final class BridgedDocuments {

  /** Entries of a feed that has fewer in its own document, once so many are known. */
  static final int AT_LEAST = 20;

  private final Feeds feeds;
  private final BridgedUrls urls;
  private final URI publicUrl;
  private final FeedParser parser = new FeedParser();

  BridgedDocuments(Feeds feeds, BridgedUrls urls, URI publicUrl) {
    this.feeds = feeds;
    this.urls = urls;
    this.publicUrl = publicUrl;
  }

  /** The feed as it is now. */
  BridgedDocument of(FollowedFeed feed, Kind kind, Instant now) {
    Newest newest =
        feeds
            .newest(feed.id(), Newest.KEPT)
            .orElseThrow(() -> new IllegalStateException("a feed with a baseline was read as one"));
    Instant first = feed.firstFetchAt() == null ? now : feed.firstFetchAt();
    Instant modified =
        newest.entries().stream()
            .map(Newest.Arrival::at)
            .filter(at -> at.isAfter(first))
            .max(Instant::compareTo)
            .orElse(first);
    String self = urls.of(feed.topic(), kind);
    byte[] bytes = write(newest.feed().withEntries(entries(feed, newest)), kind, self, first);
    return new BridgedDocument(
        bytes,
        kind.contentType(),
        EntityTag.of(bytes),
        self,
        hub(),
        modified,
        feed.head(),
        feed.validators().bodyHash(),
        now);
  }

  /** As many as the feed itself has, the newest first. */
  private List<Entry> entries(FollowedFeed feed, Newest newest) {
    Map<String, Entry> known = new LinkedHashMap<>();
    for (Newest.Arrival arrival : newest.entries()) {
      known.put(arrival.entry().id(), arrival.entry().datedIfNot(arrival.at()));
    }
    List<Entry> own = own(feed).map(Feed::entries).orElse(List.of());
    own.forEach(entry -> known.putIfAbsent(entry.id(), entry));
    return known.values().stream().limit(Math.max(AT_LEAST, own.size())).toList();
  }

  /** The newest bytes once more: of the entries behind the newest few nothing else is kept. */
  private Optional<Feed> own(FollowedFeed feed) {
    return feeds
        .body(feed.id())
        .flatMap(
            body -> {
              try {
                return Optional.of(
                    parser.parse(body.bytes(), body.contentType(), URI.create(feed.url())));
              } catch (FeedParseException | IllegalArgumentException noFeedAnyMore) {
                return Optional.empty();
              }
            });
  }

  private byte[] write(Feed feed, Kind kind, String self, Instant first) {
    PushOffer offer = offer(publicUrl, self);
    return switch (kind) {
      case ATOM -> SuperfeedrAtom.write(feed, offer, first);
      case RSS -> RssWriter.write(feed, offer);
      case JSON -> JsonFeedWriter.write(feed, offer);
    };
  }

  private String hub() {
    return publicUrl + "/hub";
  }

  /** How whoever reads a feed of the gateway can follow it by push. */
  static PushOffer offer(URI publicUrl, String self) {
    boolean https = "https".equalsIgnoreCase(publicUrl.getScheme());
    int port = publicUrl.getPort() < 0 ? (https ? 443 : 80) : publicUrl.getPort();
    Hints.Cloud cloud =
        new Hints.Cloud(
            String.valueOf(publicUrl.getHost()),
            port,
            "/pleaseNotify",
            "",
            https ? "https-post" : "http-post");
    return new PushOffer(
        self, List.of(publicUrl + "/hub"), List.of(cloud), publicUrl + "/pleaseNotify");
  }
}
