package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How much is read of feeds with damage. The property {@code damaged.folder} names a folder that
 * takes the documents, so that another reader can be asked the same: the README has feedparser's
 * counts.
 */
class DamagedFeedsTest {
  @ParameterizedTest
  @CsvSource({
    "END_TAG_REMOVED, 108, 684",
    "TWO_TAGS_REMOVED, 108, 681",
    "BYTES_FLIPPED, 108, 684",
    "CDATA_LEFT_OPEN, 99, 675",
    "CUT_OFF, 107, 375",
    "TEXT_BEFORE, 108, 684",
    "WRONG_CHARSET, 108, 684",
    "TAGS_REMOVED, 105, 664",
    "ROOT_DAMAGED, 108, 684",
    "CONTROLS_BEFORE, 108, 684",
    "LAST_TWICE, 108, 686",
    "CUT_ANYWHERE, 106, 374"
  })
  void as_many_documents_and_entries_are_read_as_the_README_says(
      DamagedFeeds.Damage damage, int documents, int entries) throws IOException {
    String folder = System.getProperty("damaged.folder", "");
    int read = 0;
    int found = 0;
    for (DamagedFeeds.Document document : DamagedFeeds.of(damage)) {
      if (!folder.isBlank()) {
        Files.createDirectories(Path.of(folder));
        Files.write(Path.of(folder, document.name()), document.bytes());
      }
      int count = entries(damage, document);
      read += count > 0 ? 1 : 0;
      found += Math.max(count, 0);
    }
    assertThat(List.of(read, found)).isEqualTo(List.of(documents, entries));
  }

  /** Of a document that is refused it is -1. A second copy of an entry is none. */
  private static int entries(DamagedFeeds.Damage damage, DamagedFeeds.Document document) {
    try {
      Feed feed = Fixtures.parse(document.bytes(), null);
      return damage == DamagedFeeds.Damage.LAST_TWICE
          ? (int) feed.entries().stream().map(Entry::id).distinct().count()
          : feed.entries().size();
    } catch (FeedParseException refused) {
      return -1;
    }
  }
}
