package io.feedbridge.normalizer;

import java.util.Collection;
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
}
