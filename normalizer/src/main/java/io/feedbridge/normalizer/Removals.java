package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** Reads the removed entries of an Atom document (RFC 6721), and tells which of them are news. */
final class Removals {
  static final String TOMBSTONE = "deleted-entry";

  private Removals() {}

  static boolean isTombstone(Element element) {
    return element.getName().equals(TOMBSTONE) && Vocabulary.of(element) == Vocabulary.TOMBSTONES;
  }

  /** The removals among some elements; one without its entry's id or its time says too little. */
  static List<Removal> of(List<Element> elements) {
    List<Removal> removals = new ArrayList<>();
    for (Element element : elements) {
      Removal removal = isTombstone(element) ? removal(element) : null;
      if (removal != null && removals.size() < Limits.MAX_ENTRIES) {
        removals.add(removal);
      }
    }
    return removals;
  }

  private static @Nullable Removal removal(Element tombstone) {
    String ref = Vocabulary.attribute(tombstone, "ref");
    Instant when = Dates.parse(Vocabulary.attribute(tombstone, "when"));
    return ref == null || when == null ? null : new Removal(AtomIds.source(ref, tombstone), when);
  }

  /**
   * The difference with the removals that are news: of known entries that are not in the document,
   * are not removed yet, and have no version later than the removal (RFC 6721 §3).
   *
   * @param ids of all entries of the document
   */
  static EntryDiff.Diff in(
      EntryDiff.Diff diff, Feed feed, Collection<String> ids, EntryMemory memory) {
    Map<String, Removal> told = new LinkedHashMap<>();
    for (Removal removal : feed.removals()) {
      told.merge(
          removal.id(), removal, (one, other) -> one.when().isAfter(other.when()) ? one : other);
    }
    told.keySet().removeAll(Set.copyOf(ids));
    if (told.isEmpty()) {
      return diff;
    }
    Map<String, SeenEntry> known = memory.formerly(told.keySet());
    List<Removal> removed = new ArrayList<>();
    List<SeenEntry> toRemember = new ArrayList<>(diff.toRemember());
    for (Removal removal : told.values()) {
      SeenEntry entry = known.get(removal.id());
      if (entry != null && !entry.isGone() && !isLater(entry.updated(), removal.when())) {
        removed.add(removal);
        toRemember.add(entry.asGone(removal.when()));
      }
    }
    return new EntryDiff.Diff(
        diff.fresh(), diff.changed(), toRemember, diff.renamed(), diff.moved(), removed);
  }

  private static boolean isLater(@Nullable Instant updated, Instant when) {
    return updated != null && updated.isAfter(when);
  }
}
