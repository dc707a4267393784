package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The end of a document that breaks off. Its last entry is provisional: a text, a link or a date of
 * the entry may be missing, and the next document may have them.
 *
 * @param entry the provisional entry; null where the document breaks off between two entries
 * @param seen the record of the entry, if it may be taken for whole some time
 */
public record CutOff(@Nullable Entry entry, @Nullable SeenEntry seen) {

  /** The repair of a document that breaks off within an entry, which was kept in part. */
  static final String IN_ENTRY = "The document is cut off: the last entry was read up to the cut.";

  /** The repair of a document that breaks off, of which the whole entries were kept. */
  static final String BEHIND_ENTRY =
      "The document is cut off: the complete part before the cut was read.";

  /**
   * The end of a document that was read as a whole; null where it does not break off. A part of a
   * known entry is never taken for whole, nor is an entry whose id may lie behind the cut.
   *
   * @param seen the known entries of the document
   */
  static @Nullable CutOff of(Feed feed, EntryDiff.Diff diff, Map<String, SeenEntry> seen) {
    if (feed.repairs().contains(BEHIND_ENTRY)) {
      return new CutOff(null, null);
    }
    List<Entry> entries = feed.entries();
    if (!feed.repairs().contains(IN_ENTRY) || entries.isEmpty()) {
      return null;
    }
    Entry last = entries.get(entries.size() - 1);
    if (seen.containsKey(last.id())
        || !diff.fresh().contains(last)
        || !isTold(last, entries.subList(0, entries.size() - 1))) {
      return new CutOff(last, null);
    }
    return new CutOff(
        last,
        diff.toRemember().stream()
            .filter(one -> one.id().equals(last.id()))
            .findFirst()
            .orElse(null));
  }

  /**
   * Whether the entry has the field that tells the others apart: an id, else a link, else a title.
   */
  private static boolean isTold(Entry last, List<Entry> others) {
    if (!last.generatedId() || others.stream().anyMatch(one -> !one.generatedId())) {
      return !last.generatedId();
    }
    if (last.permalink() != null || others.stream().anyMatch(one -> one.permalink() != null)) {
      return last.permalink() != null;
    }
    return last.title() != null && !others.isEmpty();
  }

  /** Whether the document itself names the provisional entry's id. */
  public boolean hasOwnId() {
    return entry != null && !entry.generatedId();
  }

  /** The difference without the provisional entry. */
  EntryDiff.Diff without(EntryDiff.Diff all) {
    if (entry == null) {
      return all;
    }
    return new EntryDiff.Diff(
        all.fresh().stream().filter(one -> !one.equals(entry)).toList(),
        all.changed().stream().filter(one -> !one.equals(entry)).toList(),
        all.toRemember().stream().filter(one -> !one.id().equals(entry.id())).toList(),
        all.renamed().stream().filter(one -> !one.equals(entry)).toList(),
        all.moved(),
        all.removed());
  }

  /**
   * The difference with the provisional entry, which is taken for whole. Its record is marked: the
   * entry is new to every reader when a document has more of it.
   */
  public EntryDiff.Diff with(EntryDiff.Diff rest) {
    if (entry == null || seen == null) {
      return rest;
    }
    return new EntryDiff.Diff(
        plus(rest.fresh(), entry),
        rest.changed(),
        plus(rest.toRemember(), seen.asPart()),
        rest.renamed(),
        rest.moved(),
        rest.removed());
  }

  /** The fields of a document with the repair that tells of the provisional entry. */
  public static Feed told(Feed document) {
    return repaired(document, BEHIND_ENTRY, IN_ENTRY);
  }

  /** The fields of a document whose provisional entry is not delivered. */
  public static Feed untold(Feed document) {
    return document.repairs().contains(IN_ENTRY)
        ? repaired(document, IN_ENTRY, BEHIND_ENTRY)
        : document;
  }

  private static Feed repaired(Feed document, String without, String with) {
    List<String> repairs = new ArrayList<>(document.repairs());
    repairs.remove(without);
    if (!repairs.contains(with)) {
      repairs.add(with);
    }
    return document.withRepairs(repairs);
  }

  /** The document without the entry that its end may have cut. */
  public static Feed whole(Feed document) {
    List<Entry> entries = document.entries();
    return document.repairs().contains(IN_ENTRY) && !entries.isEmpty()
        ? document.withEntries(entries.subList(0, entries.size() - 1))
        : document;
  }

  /** Whether entries of the document may be parts of entries. */
  public static boolean isPossible(Feed document) {
    return document.repairs().contains(IN_ENTRY)
        || document.repairs().stream().anyMatch(Repair.OF_STRUCTURE::contains);
  }

  private static <T> List<T> plus(List<T> list, T last) {
    List<T> all = new ArrayList<>(list);
    all.add(last);
    return all;
  }
}
