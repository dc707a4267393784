package io.feedbridge.normalizer;

import org.jspecify.annotations.Nullable;

/**
 * A document compared with the remembered entries of its feed.
 *
 * @param feed the feed with all of its own fields; its entries are the ones that were read, among
 *     them all that are fresh or changed
 * @param diff the new and the changed entries
 * @param anyGeneratedId whether an entry of the document, read or not, has a generated id
 * @param family of the document; null for a format of no family
 * @param cut the end of the document, if it breaks off; a provisional entry is not in {@code diff}
 * @param whole whether the document was read as a whole, and the feed has all its entries
 */
public record FeedDiff(
    Feed feed,
    EntryDiff.Diff diff,
    boolean anyGeneratedId,
    @Nullable FeedFamily family,
    @Nullable CutOff cut,
    boolean whole) {}
