package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.sql.Lists;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.EntryMemory;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The entries of one feed that the store remembers, and the ids that were looked for.
 *
 * @param lists the feeds of lists
 * @param source of the document
 * @param now when entries that a list has no more were removed
 * @param asked every requested id: the ids of the document's entries
 */
record SeenEntries(
    Feeds feeds, Lists lists, FollowedFeed feed, Source source, Instant now, List<String> asked)
    implements EntryMemory {

  /** How a document came. */
  enum Source {
    /** Fetched, as the baseline: all of its entries are wanted, also unchanged ones. */
    BASELINE,
    /** Fetched. */
    FETCH,
    /** Delivered by a hub. */
    PUSH
  }

  SeenEntries(Store store, FollowedFeed feed, Source source, Instant now) {
    this(store.feeds(), store.lists(), feed, source, now, new ArrayList<>());
  }

  @Override
  public Set<String> knownFingerprints(Collection<String> fingerprints) {
    return feeds.knownFingerprints(feed.id(), fingerprints);
  }

  @Override
  public Map<String, SeenEntry> seen(Collection<String> ids) {
    asked.addAll(ids);
    Map<String, SeenEntry> seen = feeds.seen(feed.id(), ids);
    if (source == Source.BASELINE) {
      seen.replaceAll((id, entry) -> new SeenEntry(id, entry.fingerprint(), entry.updated(), null));
    }
    return seen;
  }

  @Override
  public Map<String, SeenEntry> formerly(Collection<String> ids) {
    return source == Source.BASELINE ? Map.of() : feeds.seen(feed.id(), ids);
  }

  @Override
  public List<Removal> absent(Set<String> present) {
    return source == Source.BASELINE
        ? List.of()
        : lists.urls(feed.id()).stream()
            .filter(url -> !present.contains(url))
            .map(url -> new Removal(url, now))
            .toList();
  }

  @Override
  public List<Entry> newest() {
    return source == Source.BASELINE
        ? List.of()
        : feeds.newest(feed.id(), Newest.KEPT).stream()
            .flatMap(newest -> newest.entries().stream())
            .map(Newest.Arrival::entry)
            .toList();
  }

  @Override
  public Set<String> hosts() {
    return Set.copyOf(List.of(WebAddress.hostOf(feed.topic()), WebAddress.hostOf(feed.url())));
  }

  @Override
  public boolean isPushed() {
    return source == Source.PUSH;
  }
}
