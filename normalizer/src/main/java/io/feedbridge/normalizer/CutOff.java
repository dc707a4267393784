package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a document that breaks off. Its last entry is provisional: a text, a link or a date of
 * the entry may be missing, and the next document may have them.
 *
 * @param entry the provisional entry, if it is new or has changed
 * @param seen the record of the entry
 * @param fresh whether the entry has an id never seen
 */
public record CutOff(@Nullable Entry entry, @Nullable SeenEntry seen, boolean fresh) {

  /** The repair of a document that breaks off within an entry, which was kept in part. */
  static final String IN_ENTRY = "The document is cut off: the last entry was read up to the cut.";

  /** The repair of a document that breaks off, of which the whole entries were kept. */
  static final String BEHIND_ENTRY =
      "The document is cut off: the complete part before the cut was read.";

  /** The end of a document that was read as a whole; null where it does not break off. */
  static @Nullable CutOff of(Feed feed, EntryDiff.Diff diff) {
    if (feed.repairs().contains(BEHIND_ENTRY)) {
      return new CutOff(null, null, false);
    }
    if (!feed.repairs().contains(IN_ENTRY) || feed.entries().isEmpty()) {
      return null;
    }
    Entry last = feed.entries().get(feed.entries().size() - 1);
    boolean fresh = diff.fresh().contains(last);
    return fresh || diff.changed().contains(last)
        ? new CutOff(
            last,
            diff.toRemember().stream()
                .filter(one -> one.id().equals(last.id()))
                .findFirst()
                .orElse(null),
            fresh)
        : new CutOff(null, null, false);
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
        all.renamed().stream().filter(one -> !one.equals(entry)).toList());
  }

  /**
   * The difference with the provisional entry, which is taken for whole. Its record is marked: the
   * entry is new to every reader when a document has more of it.
   */
  public EntryDiff.Diff with(EntryDiff.Diff rest) {
    return seen == null ? rest : with(rest, seen.cutOff());
  }

  /** The same for a baseline, whose entries are new to no reader. */
  public EntryDiff.Diff inBaseline(EntryDiff.Diff rest) {
    return seen == null ? rest : with(rest, seen);
  }

  private EntryDiff.Diff with(EntryDiff.Diff rest, SeenEntry record) {
    if (entry == null) {
      return rest;
    }
    return new EntryDiff.Diff(
        fresh ? plus(rest.fresh(), entry) : rest.fresh(),
        fresh ? rest.changed() : plus(rest.changed(), entry),
        plus(rest.toRemember(), record),
        rest.renamed());
  }

  private static <T> List<T> plus(List<T> list, T last) {
    List<T> all = new ArrayList<>(list);
    all.add(last);
    return all;
  }
}
