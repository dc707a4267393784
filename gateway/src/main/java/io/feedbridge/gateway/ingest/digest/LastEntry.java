package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.PartialDocument;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last entry of a fetched document that breaks off: whether it waits or is taken for whole.
 *
 * @param partial the document, for the next fetch; null if the document is whole
 * @param delivered the ends of documents whose entries are taken for whole now
 */
record LastEntry(@Nullable PartialDocument partial, List<CutOff> delivered) {

  /**
   * Judges the end of a document.
   *
   * @param before the document before, where that broke off
   * @param hash of this document
   * @param read this document, unless it is the same as the document before or no feed
   * @param ids of all entries of this document
   * @param kept reads the end of the document before; empty if that is not kept
   */
  static LastEntry of(
      @Nullable PartialDocument before,
      String hash,
      Optional<FeedDiff> read,
      Collection<String> ids,
      Supplier<Optional<CutOff>> kept,
      Instant now) {
    if (read.isEmpty()) {
      boolean same = before != null && before.bodyHash().equals(hash);
      return new LastEntry(same ? before : null, List.of());
    }
    // An entry that waits and is in the document no more has no rest. One whose id is made of its
    // parts may be there under another id.
    List<CutOff> gone =
        before == null || before.entryId() == null || ids.contains(before.entryId())
            ? List.of()
            : kept.get().filter(CutOff::hasOwnId).stream().toList();
    CutOff cut = read.get().cut();
    if (cut == null) {
      return new LastEntry(null, gone);
    }
    SeenEntry seen = cut.seen();
    if (seen == null) {
      return new LastEntry(new PartialDocument(hash, null, null, now), gone);
    }
    Instant since = now;
    if (before != null && seen.id().equals(before.entryId())) {
      boolean again =
          !before.bodyHash().equals(hash) && seen.fingerprint().equals(before.fingerprint());
      if (again || before.isOver(now)) {
        return new LastEntry(new PartialDocument(hash, null, null, now), List.of(cut));
      }
      since = before.since();
    }
    return new LastEntry(new PartialDocument(hash, seen.id(), seen.fingerprint(), since), gone);
  }

  /** The difference, with the entries that are taken for whole. */
  EntryDiff.Diff in(FeedDiff read, boolean baseline) {
    EntryDiff.Diff all = read.diff();
    CutOff cut = read.cut();
    if (baseline) {
      return (cut == null ? all : cut.with(all)).ofBaseline();
    }
    for (CutOff end : delivered) {
      all = end.with(all);
    }
    return all;
  }

  /** The document's fields, with the repairs of the entries that are delivered. */
  Feed fields(Feed document) {
    return delivered.isEmpty() ? CutOff.untold(document) : CutOff.told(document);
  }

  /** The next fetch: no later than when the entry that waits is taken for whole. */
  static @Nullable Instant nextFetch(
      @Nullable Instant planned, @Nullable PartialDocument partial, Instant now) {
    Instant at = partial == null ? null : partial.wholeAt();
    boolean isSooner = planned != null && at != null && at.isAfter(now) && at.isBefore(planned);
    return isSooner ? at : planned;
  }

  /** Tells of the end in the feed's history. */
  String note() {
    return partial == null ? "" : ", the document breaks off before its end";
  }
}
