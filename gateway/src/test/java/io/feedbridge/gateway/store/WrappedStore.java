package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;

/** A store with other objects in place of some of its parts. */
public final class WrappedStore {

  private WrappedStore() {}

  /** Makes an object that stands in place of a part. */
  public interface Wrapping {
    /** The object in place of the part, or the part. */
    <T> T part(Class<T> type, T part);
  }

  public static Store of(Store store, Wrapping wrapping) {
    return new Store(
        store.database(),
        store.transitions(),
        wrapping.part(Feeds.class, store.feeds()),
        wrapping.part(UpstreamSubscriptions.class, store.upstreamSubscriptions()),
        wrapping.part(Subscriptions.class, store.subscriptions()),
        store.denials(),
        store.upstreams(),
        wrapping.part(Rounds.class, store.rounds()),
        wrapping.part(Laggards.class, store.laggards()),
        wrapping.part(Log.class, store.log()),
        store.consumers(),
        store.webhooks(),
        store.publishers(),
        store.feedQueries(),
        store.feedHistory(),
        store.restrictions(),
        store.privateFeeds(),
        store.bridges(),
        store.pings(),
        store.sitePaces(),
        store.times(),
        store.users(),
        store.tokens(),
        store.subscriptionQueries(),
        store.endedSubscriptions(),
        store.loginSubscriptions(),
        store.entries(),
        store.trackers(),
        store.lists(),
        store.publishedLists(),
        store.notices(),
        store.podping(),
        store.ownership());
  }
}
