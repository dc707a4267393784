package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the new entries of a document: the diff before the parse. Nearly every document of a feed
 * brings nothing, or one entry of a hundred. A scan, many times cheaper than reading, first tells
 * the items apart. Items with the same characters as at their last reading are left out, and the
 * rest is read as a document of its own. The result is the same as that of reading everything and
 * comparing: a document that the scan is unsure about, or that has other ids than the scan found,
 * is read as a whole. Thread-safe.
 */
public final class DiffParser {
  private final FeedParser parser = new FeedParser();

  /**
   * Compares the document with the remembered entries.
   *
   * @param memory asked for the entries seen once, or twice if the scan was wrong
   */
  public FeedDiff parse(byte[] body, Served served, EntryMemory memory) throws FeedParseException {
    List<String> repairs = new ArrayList<>();
    String text = parser.text(body, served, repairs);
    DocumentScan scan = scan(text, served);
    FeedDiff scanned = scan == null ? null : inPart(scan, served, repairs, memory);
    if (scanned != null) {
      return scanned;
    }
    Feed feed = parser.parse(text, served, repairs);
    List<String> ids = feed.entries().stream().map(Entry::id).distinct().toList();
    Map<String, SeenEntry> seen = ids.isEmpty() ? Map.of() : memory.seen(ids);
    EntryDiff.Diff all = EntryDiff.against(feed, seen, Map.of(), memory);
    FeedFamily family = FeedFamily.of(text);
    if (family == FeedFamily.OPML) {
      // The feeds of a list are told by their URLs alone.
      Feed told = feed.withRemovals(memory.absent(Set.copyOf(ids)));
      EntryDiff.Diff list = Removals.in(all, told, ids, memory);
      return new FeedDiff(feed, list, false, family, null, true);
    }
    CutOff cut = CutOff.of(feed, all, seen);
    EntryDiff.Diff diff =
        SameEntries.without(cut == null ? all : cut.without(all), ids, seen, memory);
    diff = Removals.in(diff, feed, ids, memory);
    return new FeedDiff(feed, diff, feed.anyGeneratedId(), family, cut, true);
  }

  /** The feed with its own fields, all of them, and no entries. */
  public Feed fields(byte[] body, Served served) throws FeedParseException {
    List<String> repairs = new ArrayList<>();
    String text = parser.text(body, served, repairs);
    DocumentScan scan = scan(text, served);
    if (scan != null) {
      try {
        parser.check(text);
        return parser.wellFormed(scan.with(new BitSet()), served, repairs);
      } catch (FeedParseException readAsAWhole) {
        // The error, and its place, must be the ones of the document as it was served
      }
    }
    return parser.parse(text, served, repairs).withEntries(List.of());
  }

  private @Nullable DocumentScan scan(String text, Served served) {
    DocumentScan scan = text.charAt(0) == '<' ? DocumentScanner.scan(text, served) : null;
    // Of a document without items the full reading tells why there are none
    return scan == null || scan.items().isEmpty() ? null : scan;
  }

  /** The difference by the items that are not known unchanged; null where the scan was wrong. */
  private @Nullable FeedDiff inPart(
      DocumentScan scan, Served served, List<String> repairs, EntryMemory memory) {
    List<String> ids = scan.ids();
    Map<String, SeenEntry> seen = ids.isEmpty() ? Map.of() : memory.seen(ids);
    List<String> all = scan.sources();
    BitSet unknown = new BitSet();
    List<String> expected = new ArrayList<>();
    Map<String, String> sources = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      SeenEntry known = seen.get(ids.get(i));
      if (known == null || !all.get(i).equals(known.source())) {
        unknown.set(i);
        expected.add(ids.get(i));
        sources.put(ids.get(i), all.get(i));
      }
    }
    Feed feed;
    try {
      feed = parser.wellFormed(scan.with(unknown), served, repairs);
    } catch (FeedParseException readAsAWhole) {
      return null;
    }
    if (!feed.entries().stream().map(Entry::id).toList().equals(expected)) {
      return null;
    }
    EntryDiff.Diff diff =
        SameEntries.without(
            EntryDiff.against(feed, seen, sources, memory), Set.copyOf(ids), seen, memory);
    diff = Removals.in(diff, feed, ids, memory);
    boolean whole = expected.size() == ids.size();
    FeedFamily family = FeedFamily.of(scan.text());
    return new FeedDiff(feed, diff, scan.anyGeneratedId(), family, null, whole);
  }
}
