package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.upstream.SitePing;
import io.feedbridge.rsscloud.WeblogPing;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The pinged sites that changes.xml lists. Safe for use by several threads. */
record ListedSites(Pings pings, Clock clock) {

  /** Characters of a URL that is listed among the recent pings. */
  static final int MAX_URL = 500;

  /** A site as changes.xml lists it. */
  record Site(String name, String url, Optional<String> feed) {

    /** A topic that was pinged, and its feed where it is followed. */
    static Site of(String topic, Optional<FollowedFeed> feed) {
      return new Site(feed.map(Site::title).orElse(topic), topic, feed.map(FollowedFeed::topic));
    }

    private static String title(FollowedFeed feed) {
      String title = feed.fetched().title();
      return title == null ? feed.topic() : WeblogPing.shortened(title);
    }
  }

  /** Lists a site, unless its URL is too long. Completes once that is durable. */
  CompletableFuture<Void> add(Site site) {
    if (site.url.length() > MAX_URL) {
      return CompletableFuture.completedFuture(null);
    }
    String feed = site.feed.filter(url -> url.length() <= MAX_URL).orElse(null);
    return pings.record(new SitePing(site.name, site.url, feed, clock.instant()));
  }
}
