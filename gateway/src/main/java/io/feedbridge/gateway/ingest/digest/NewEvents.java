package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.LanguageDetector;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The events that a document makes, and the entries that are kept beside them. */
final class NewEvents {

  private final Store store;
  private final LanguageDetector languages = new LanguageDetector();

  NewEvents(Store store) {
    this.store = store;
  }

  /**
   * The events to append.
   *
   * @param read the document's fields, if it is a feed
   * @param bytesAreNews whether changed bytes alone make an event
   */
  Slices.Cut of(
      FollowedFeed feed,
      Optional<Feed> read,
      EntryDiff.Diff diff,
      boolean bytesChanged,
      boolean bytesAreNews) {
    if (diff.isEmpty() && !(bytesChanged && bytesAreNews)) {
      return Slices.Cut.NONE;
    }
    Feed fields = read.orElseGet(() -> Feed.bare(feed.topic(), feed.fetched().title()));
    // Told of news alone: it costs more than all else about an entry.
    List<Entry> fresh = languages.complete(diff.fresh());
    List<Entry> changed = languages.complete(diff.changed());
    Slices.Cut cut = Slices.of(fields, fresh, changed, diff.removed(), feed.status(), bytesChanged);
    return new Slices.Cut(
        cut.updates().stream().map(update -> update.in(feed.fetched().format())).toList(),
        cut.bytes());
  }

  /** A document's fields as events repeat them. */
  static Feed fields(FollowedFeed feed, Feed document) {
    return Slices.fields(document, feed.topic(), feed.fetched().title());
  }

  /** A push of removals alone has no title and no links of its feed, and does not replace them. */
  Feed pushedFields(FollowedFeed feed, Feed document) {
    boolean isRemovalAlone = document.entries().isEmpty() && !document.removals().isEmpty();
    return isRemovalAlone
        ? store
            .feeds()
            .newest(feed.id(), 0)
            .map(Newest::feed)
            .orElseGet(() -> Feed.bare(feed.topic(), feed.fetched().title()))
        : fields(feed, document);
  }

  /**
   * The part of a document that is kept beside its events: no event holds the entries of a
   * baseline.
   */
  @Nullable Feed kept(Optional<Feed> fields, Optional<FeedDiff> read, boolean baseline) {
    if (!baseline || fields.isEmpty() || read.isEmpty()) {
      return fields.orElse(null);
    }
    Feed document = read.get().feed();
    CutOff cut = read.get().cut();
    // A part that may have another id when it is whole would stand beside the whole entry.
    Feed whole = cut != null && cut.seen() == null ? CutOff.whole(document) : document;
    List<Entry> newest = whole.entries().stream().limit(Newest.KEPT).toList();
    return fields.get().withEntries(languages.complete(newest));
  }
}
