package io.feedbridge.normalizer;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One feed over its life, read in two ways: in whole, and by the scan that leaves out what is
 * known. Both must find the same. Not thread-safe.
 */
final class ScanAgreement {
  private final FeedParser whole = new FeedParser();
  private final DiffParser parser = new DiffParser();
  private final Served served;
  private final Memory ofWhole = new Memory();
  private final Memory memory = new Memory();

  ScanAgreement(Served served) {
    this.served = served;
  }

  /** Reads the next document of the feed. */
  void agree(byte[] document) {
    memory.asked = 0;
    Feed feed;
    try {
      feed = whole.parse(document, served);
    } catch (FeedParseException none) {
      same("the refusal", refusal(document), String.valueOf(none.getMessage()));
      return;
    }
    FeedDiff found;
    Feed fields;
    try {
      found = parser.parse(document, served, memory);
      fields = parser.fields(document, served);
    } catch (FeedParseException e) {
      throw new AssertionError("The scan refuses a document that can be read.", e);
    }
    EntryDiff.Diff all = EntryDiff.against(feed, ofWhole);
    List<String> ids = feed.entries().stream().map(Entry::id).toList();
    CutOff cut = CutOff.of(feed, all, ofWhole.seen(ids));
    EntryDiff.Diff expected = cut == null ? all : cut.without(all);
    same("the end of the document", found.cut(), cut);
    Feed own = feed.withEntries(List.of());
    same("the feed's own fields", found.feed().withEntries(List.of()), own);
    same("the fields alone", fields, own);
    same("whether ids are generated", found.anyGeneratedId(), feed.anyGeneratedId());
    same("entries", feed.entries().containsAll(found.feed().entries()), true);
    same("fresh entries", found.diff().fresh(), expected.fresh());
    same("changed entries", found.diff().changed(), expected.changed());
    same("renamed entries", found.diff().renamed(), expected.renamed());
    ofWhole.take(expected);
    memory.take(found.diff());
    same("what is remembered", memory.withoutSources(), ofWhole.entries);
    same("that memory is asked twice at most", memory.asked <= 2, true);
  }

  private String refusal(byte[] document) {
    try {
      parser.parse(document, served, memory);
      throw new AssertionError("The scan reads a document that is refused.");
    } catch (FeedParseException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static void same(String what, @Nullable Object found, @Nullable Object expected) {
    if (!Objects.equals(found, expected)) {
      throw new AssertionError(
          "The scan and the full reading differ in %s: %s and not %s"
              .formatted(what, found, expected));
    }
  }
}
