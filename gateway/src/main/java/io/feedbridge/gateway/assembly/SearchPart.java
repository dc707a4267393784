package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.guard.PublicFeeds;
import io.feedbridge.gateway.lists.ListKeeper;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.search.Indexer;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.track.TrackerFollower;
import io.feedbridge.gateway.track.TrackerTopics;
import java.util.UUID;

/** Readers of the log that find entries: search, trackers, and the feeds of lists. */
final class SearchPart {

  final Search search;
  private final TextIndex index;
  private final Indexer indexer;
  private final TrackerFollower trackers;
  private final ListKeeper lists;

  /**
   * Wires it.
   *
   * @param key of the gateway, by which the index knows its store
   */
  SearchPart(Machines machines, ServingPart serving, TrackerTopics topics, byte[] key) {
    index = machines.owned().index();
    indexer =
        new Indexer(
            index,
            machines.store,
            UUID.nameUUIDFromBytes(key).toString(),
            topics::isTracker,
            machines.pool("search-index", 1, 1),
            machines.timer);
    search =
        new Search(
            index,
            machines.store.entries(),
            machines.pool("searches", Search.THREADS, Search.QUEUE));
    trackers =
        new TrackerFollower(
            machines.store,
            topics,
            new PublicFeeds(machines.policies),
            machines.pool("trackers", 1, 1),
            machines.timer,
            machines.meters);
    lists =
        new ListKeeper(
            machines.store, serving.bridges, machines.policies, machines.stages, machines.timer);
    watch(machines.meters);
  }

  private void watch(Meters meters) {
    meters.gauge("feedbridge.trackers", "Trackers that are followed", trackers::count);
    meters.gauge("feedbridge.lists.feeds", "Feeds that are followed for lists", lists::followed);
    meters.total(
        "feedbridge.search.index.remade",
        "Times that the search index was made again: it was damaged, or another store's",
        index::remade);
    meters.gauge(
        "feedbridge.search.events.behind",
        "Events of the log that are not in the search index yet",
        indexer::behind);
  }

  void start(Lifecycle lifecycle) {
    lifecycle.start(indexer::start, indexer::close);
    lifecycle.start(trackers::start, trackers::close);
    lifecycle.start(lists::start, lists::close);
  }
}
