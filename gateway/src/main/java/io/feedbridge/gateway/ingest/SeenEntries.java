package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.EntryMemory;
import io.feedbridge.normalizer.SeenEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The entries of one feed that the store remembers, under keys that an index can hold.
 *
 * @param whole whether all entries of a document are wanted, also unchanged ones
 * @param asked every requested key: the keys of the document's entries
 */
record SeenEntries(Feeds feeds, long feedId, boolean whole, List<String> asked)
    implements EntryMemory {

  /** Characters of an entry's id that are kept; of a longer one its hash stands for it. */
  private static final int MAX_ID = 512;

  SeenEntries(Feeds feeds, long feedId, boolean whole) {
    this(feeds, feedId, whole, new ArrayList<>());
  }

  @Override
  public Set<String> knownFingerprints(Collection<String> fingerprints) {
    return feeds.knownFingerprints(feedId, fingerprints);
  }

  @Override
  public Map<String, SeenEntry> seen(Collection<String> ids) {
    List<String> keys = ids.stream().map(SeenEntries::key).toList();
    asked.addAll(keys);
    Map<String, SeenEntry> kept = feeds.seen(feedId, keys);
    Map<String, SeenEntry> seen = new HashMap<>();
    for (String id : ids) {
      SeenEntry entry = kept.get(key(id));
      if (entry != null) {
        String source = whole ? null : entry.source();
        seen.put(id, new SeenEntry(id, entry.fingerprint(), entry.updated(), source));
      }
    }
    return seen;
  }

  /** The entries of a document to keep, as the store has them. */
  static List<SeenEntry> toRemember(EntryDiff.Diff diff) {
    return diff.toRemember().stream()
        .map(
            entry ->
                new SeenEntry(
                    key(entry.id()), entry.fingerprint(), entry.updated(), entry.source()))
        .toList();
  }

  private static String key(String id) {
    return id.length() <= MAX_ID
        ? id
        : "sha256:" + Hashes.sha256(id.getBytes(StandardCharsets.UTF_8));
  }
}
