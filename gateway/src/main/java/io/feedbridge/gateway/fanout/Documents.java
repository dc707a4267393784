package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.SuperfeedrAtom;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.util.List;
import java.util.Optional;

/** Makes bundles out of the event log. */
final class Documents {

  static final String ATOM = "application/atom+xml; charset=utf-8";
  static final String JSON = "application/json; charset=utf-8";

  private final Feeds feeds;

  Documents(Feeds feeds) {
    this.feeds = feeds;
  }

  /** The events after one number up to and including another; empty if there are none. Blocks. */
  Optional<Bundle> bundle(long feedId, long after, long upTo) {
    List<Event> events = feeds.events(feedId, after, upTo);
    Optional<FollowedFeed> feed = feeds.byId(feedId);
    if (events.isEmpty() || feed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Bundle(events, feed.get().kind() == FeedKind.FEED, () -> feeds.body(feedId)));
  }

  static Bundle.Rendered atom(Feed feed, Event newest) {
    return new Bundle.Rendered(
        ATOM, SuperfeedrAtom.write(feed, newest.update().status(), newest.at()));
  }

  static Bundle.Rendered json(Feed feed, Event newest) {
    return new Bundle.Rendered(JSON, SuperfeedrJson.write(feed, newest.update().status()));
  }
}
