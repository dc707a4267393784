package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A feed with some of its parts changed; all other parts stay. */
final class Changes {

  private final FollowedFeed before;
  private FeedKind kind;
  private FeedState state;
  private @Nullable Instant firstFetch;
  private @Nullable Instant nextFetch;
  private @Nullable Via retryVia;
  private FollowedFeed.Fetched fetched;
  private Validators validators;
  private Advertised advertised;
  private PollPace pace;
  private String url;

  private Changes(FollowedFeed feed) {
    before = feed;
    kind = feed.kind();
    state = feed.state();
    firstFetch = feed.firstFetchAt();
    nextFetch = feed.nextFetchAt();
    retryVia = feed.retryVia();
    fetched = feed.fetched();
    validators = feed.validators();
    advertised = feed.advertised();
    pace = feed.pace();
    url = feed.url();
  }

  static Changes of(FollowedFeed feed) {
    return new Changes(feed);
  }

  Changes kind(FeedKind to) {
    kind = to;
    return this;
  }

  Changes state(FeedState to) {
    state = to;
    return this;
  }

  Changes firstFetch(Instant at) {
    firstFetch = at;
    return this;
  }

  Changes nextFetch(@Nullable Instant at, @Nullable Via via) {
    nextFetch = at;
    retryVia = via;
    return this;
  }

  Changes fetched(FollowedFeed.Fetched to) {
    fetched = to;
    return this;
  }

  Changes validators(Validators to) {
    validators = to;
    return this;
  }

  Changes advertised(Advertised to) {
    advertised = to;
    return this;
  }

  Changes pace(PollPace to) {
    pace = to;
    return this;
  }

  Changes url(String to) {
    url = to;
    return this;
  }

  FollowedFeed build() {
    return new FollowedFeed(
        before.id(),
        before.topic(),
        url,
        kind,
        state,
        before.followed(),
        true,
        before.head(),
        firstFetch,
        nextFetch,
        retryVia,
        fetched,
        validators,
        advertised,
        pace,
        before.named());
  }
}
