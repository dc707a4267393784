package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.PartialDocument;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last entry of a fetched document that breaks off: whether it waits or is taken for whole.
 *
 * @param partial the document, for the next fetch; null if the document is whole
 * @param isWhole whether the entry is delivered now
 */
record LastEntry(@Nullable PartialDocument partial, boolean isWhole) {

  private static final LastEntry NONE = new LastEntry(null, false);

  /**
   * Judges the end of a document.
   *
   * @param before the document before, where that broke off
   * @param hash of this document
   * @param read this document, unless it is the same as the document before or no feed
   */
  static LastEntry of(
      @Nullable PartialDocument before, String hash, Optional<FeedDiff> read, Instant now) {
    if (read.isEmpty()) {
      return new LastEntry(before != null && before.bodyHash().equals(hash) ? before : null, false);
    }
    CutOff cut = read.get().cut();
    if (cut == null) {
      return NONE;
    }
    SeenEntry seen = cut.seen();
    if (seen == null) {
      return new LastEntry(new PartialDocument(hash, null, null, now), false);
    }
    Instant since = now;
    if (before != null && seen.id().equals(before.entryId())) {
      boolean again =
          !before.bodyHash().equals(hash) && seen.fingerprint().equals(before.fingerprint());
      if (again || before.isOver(now)) {
        return new LastEntry(new PartialDocument(hash, null, null, now), true);
      }
      since = before.since();
    }
    return new LastEntry(new PartialDocument(hash, seen.id(), seen.fingerprint(), since), false);
  }

  /** The difference, with the entry where it is taken for whole. */
  EntryDiff.Diff in(FeedDiff read, boolean baseline) {
    CutOff cut = read.cut();
    if (cut == null) {
      return read.diff();
    }
    if (baseline) {
      return cut.inBaseline(read.diff());
    }
    return isWhole ? cut.with(read.diff()) : read.diff();
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
