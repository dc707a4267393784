package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Newest;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.EntryMemory;
import io.feedbridge.normalizer.SeenEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The entries of one feed that the store remembers, and the ids that were looked for.
 *
 * @param source of the document
 * @param asked every requested id: the ids of the document's entries
 */
record SeenEntries(Feeds feeds, FollowedFeed feed, Source source, List<String> asked)
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

  SeenEntries(Feeds feeds, FollowedFeed feed, Source source) {
    this(feeds, feed, source, new ArrayList<>());
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
