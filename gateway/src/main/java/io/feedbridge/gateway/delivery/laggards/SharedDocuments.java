package io.feedbridge.gateway.delivery.laggards;

import io.feedbridge.gateway.delivery.send.Bundle;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The documents that laggards of a look have in common: after an outage many subscribers miss the
 * same events. Used by one thread at a time.
 */
final class SharedDocuments {

  /** Documents that are kept. */
  private static final int KEPT = 4;

  private final EventDocuments documents;
  private final Map<Range, Optional<Bundle>> kept = new LinkedHashMap<>();

  SharedDocuments(EventDocuments documents) {
    this.documents = documents;
  }

  private record Range(long feedId, long after, long upTo, EventDocuments.Matter matter) {}

  /** The document of the events behind one event, up to another; empty if none is wanted. */
  Optional<Bundle> of(long feedId, long after, long upTo, EventDocuments.Matter matter) {
    Range range = new Range(feedId, after, upTo, matter);
    Optional<Bundle> bundle = kept.get(range);
    if (bundle == null) {
      bundle = documents.bundle(feedId, after, upTo, matter);
      if (kept.size() == KEPT) {
        kept.remove(kept.keySet().iterator().next());
      }
      kept.put(range, bundle);
    }
    return bundle;
  }

  /** The digest of a feed, which is shared with no laggard. */
  Optional<Bundle> digest(long feedId, Instant dueAt) {
    return documents.digest(feedId, dueAt);
  }

  void clear() {
    kept.clear();
  }
}
