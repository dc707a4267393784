package io.feedbridge.normalizer;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The remembered entries of one feed. */
public interface EntryMemory {

  /** Nothing: a feed that was never seen. */
  EntryMemory EMPTY = ids -> Map.of();

  /**
   * The remembered ones of these entries, by their ids.
   *
   * @param ids of a document, each once
   */
  Map<String, SeenEntry> seen(Collection<String> ids);

  /**
   * Which of these fingerprints belong to entries seen before, under whatever id; asked only for
   * entries that were never seen. A memory that cannot tell says none.
   */
  default Set<String> knownFingerprints(Collection<String> fingerprints) {
    return Set.of();
  }

  /**
   * The remembered ones of ids that no entry of the document has; asked for the ids that a new
   * entry would have had before its site moved.
   */
  default Map<String, SeenEntry> formerly(Collection<String> ids) {
    return Map.of();
  }

  /** The newest entries as they are stored, as far as they are; asked once at most. */
  default List<Entry> newest() {
    return List.of();
  }

  /** The hosts that the feed has or had. */
  default Set<String> hosts() {
    return Set.of();
  }

  /**
   * The removals of entries that the feed has and its document does not; asked of a document that
   * has all entries of its feed, as a list does.
   *
   * @param present the ids of the document's entries
   */
  default List<Removal> absent(Set<String> present) {
    return List.of();
  }

  /** Whether the document was pushed: it may have fewer elements than the feed. */
  default boolean isPushed() {
    return false;
  }
}
