package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.Feeds;
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
 * @param whole whether all entries of a document are wanted, also unchanged ones
 * @param asked every requested id: the ids of the document's entries
 */
record SeenEntries(Feeds feeds, long feedId, boolean whole, List<String> asked)
    implements EntryMemory {

  SeenEntries(Feeds feeds, long feedId, boolean whole) {
    this(feeds, feedId, whole, new ArrayList<>());
  }

  @Override
  public Set<String> knownFingerprints(Collection<String> fingerprints) {
    return feeds.knownFingerprints(feedId, fingerprints);
  }

  @Override
  public Map<String, SeenEntry> seen(Collection<String> ids) {
    asked.addAll(ids);
    Map<String, SeenEntry> seen = feeds.seen(feedId, ids);
    if (whole) {
      seen.replaceAll((id, entry) -> new SeenEntry(id, entry.fingerprint(), entry.updated(), null));
    }
    return seen;
  }
}
