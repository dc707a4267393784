package io.feedbridge.normalizer;

/**
 * A document compared with what is remembered of its feed.
 *
 * @param feed the feed with its own fields, all of them; its entries are those that were read,
 *     among them all that are fresh or changed
 * @param diff what the document brings
 * @param anyGeneratedId whether an entry of the document, read or not, has a generated id
 * @param whole whether the document was read as a whole, and the feed has all its entries
 */
public record FeedDiff(Feed feed, EntryDiff.Diff diff, boolean anyGeneratedId, boolean whole) {}
