package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The texts that a feed keeps of its document. */
final class Texts {

  /** Characters of a feed's title that are kept: each event and each status repeats it. */
  private static final int MAX_TITLE = 1_000;

  private Texts() {}

  /** The numbers of entries that a document brings. */
  static String counts(EntryDiff.Diff diff) {
    String moved =
        diff.moved() == 0 ? "" : ", %d known entries have new ids".formatted(diff.moved());
    int removed = diff.removed().size();
    return diff.fresh().size()
        + " new entries"
        + moved
        + (removed == 0 ? "" : ", %d entries removed".formatted(removed));
  }

  /** The document's title; without a document the one of before. */
  static @Nullable String title(Optional<Feed> parsed, FollowedFeed.Fetched before) {
    return parsed.map(Feed::title).map(Texts::cut).orElse(before.title());
  }

  private static String cut(String title) {
    int length = Math.min(title.codePointCount(0, title.length()), MAX_TITLE);
    return title.substring(0, title.offsetByCodePoints(0, length));
  }
}
