package io.feedbridge.gateway.bench.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.normalizer.DiffParser;
import io.feedbridge.normalizer.EntryMemory;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.SeenEntry;
import io.feedbridge.normalizer.Served;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the bench publishes. */
class SampleFeedTest {

  private static final int ENTRIES = 100;
  private static final int ENTRY_BYTES = 1_000;
  private static final Served SERVED =
      Served.at(URI.create("http://127.0.1.1/feed/7"), SampleFeed.CONTENT_TYPE);

  private final SampleFeed feed = new SampleFeed(ENTRIES, ENTRY_BYTES);

  private byte[] version(int version) {
    return feed.document(Hosts.feedPath(7), 7, version);
  }

  @Test
  void of_the_entries_of_a_version_one_is_new_and_alone_has_its_mark() throws FeedParseException {
    DiffParser parser = new DiffParser();
    FeedDiff before = parser.parse(version(1_000), SERVED, EntryMemory.EMPTY);
    Map<String, SeenEntry> seen =
        before.diff().toRemember().stream()
            .collect(Collectors.toMap(SeenEntry::id, Function.identity()));

    FeedDiff after = parser.parse(version(1_001), SERVED, ids -> seen);

    assertThat(before.diff().fresh()).hasSize(ENTRIES);
    assertThat(after.diff().changed()).isEmpty();
    assertThat(after.diff().fresh())
        .singleElement()
        .satisfies(entry -> assertThat(entry.id()).contains(SampleFeed.mark(1_001)));
    assertThat(new String(version(1_000), StandardCharsets.UTF_8))
        .doesNotContain(SampleFeed.mark(1_001));
  }

  @Test
  void an_entry_has_the_bytes_that_were_asked_for_within_a_tenth() {
    int whole = version(1_000).length;
    int markup = new SampleFeed(ENTRIES, 0).document(Hosts.feedPath(7), 7, 1_000).length;

    assertThat((whole - markup) / (double) ENTRIES).isBetween(ENTRY_BYTES * 0.9, ENTRY_BYTES * 1.1);
  }
}
