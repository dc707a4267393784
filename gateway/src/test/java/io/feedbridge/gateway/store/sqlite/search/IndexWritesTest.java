package io.feedbridge.gateway.store.sqlite.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.feedbridge.gateway.search.IndexedEntry;
import io.feedbridge.gateway.search.query.Terms;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes that the disk writes for an entry of the index, and when an index outlives a stop. */
final class IndexWritesTest {

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
  private static final Path WRITES = Path.of("/proc/thread-self/io");

  private static final int BATCHES = 80;
  private static final int BATCH = 50;
  private static final int WORDS = 200;

  /** KiB an entry: twice the measured figure. A log of 32 MiB costs 11, a synchronized log 16. */
  private static final double MOST_KIB = 7;

  /** A batch makes the log longer than its pages until the copy. */
  private static final long LONGEST_LOG = 2 << 20;

  @TempDir Path folder;

  private Path left;

  @BeforeEach
  void start() throws IOException {
    left = Files.createDirectory(folder.resolve("left"));
  }

  private static IndexedEntry entry(int number, int words) {
    SplittableRandom random = new SplittableRandom(number);
    List<String> text =
        IntStream.range(0, words)
            .mapToObj(i -> Integer.toString(random.nextInt(1 << 24), Character.MAX_RADIX))
            .toList();
    return new IndexedEntry(
        new Ref(new EntryKey(number % 1_000, "entry " + number), (long) number),
        NOW.plusSeconds(number / BATCH * 2L),
        Terms.of(text, Set.of("site=a.example", "link=a.example/" + number)),
        1,
        0);
  }

  private static void add(FtsIndex index, int batch, int words) {
    List<IndexedEntry> entries =
        IntStream.range(batch * BATCH, (batch + 1) * BATCH)
            .mapToObj(number -> entry(number, words))
            .toList();
    index.add(entries, batch + 1L);
  }

  private static long written() throws IOException {
    return Files.readAllLines(WRITES).stream()
        .filter(line -> line.startsWith("write_bytes"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .sum();
  }

  /** Whether the system counts writes, which it does not for a folder in memory. */
  private boolean counts() throws IOException {
    if (!Files.exists(WRITES)) {
      return false;
    }
    long before = written();
    Files.write(folder.resolve("probe"), new byte[1 << 16]);
    return written() > before;
  }

  @Test
  void the_disk_writes_each_entry_about_once() throws IOException {
    assumeTrue(counts());
    try (FtsIndex index = FtsIndex.open(folder)) {
      index.adopt("store", 1, 0);
      long before = written();
      for (int batch = 0; batch < BATCHES; batch++) {
        add(index, batch, WORDS);
      }

      double kib = (written() - before) / 1_024.0 / (BATCHES * BATCH);
      assertThat(kib).as("KiB written for each entry").isPositive().isLessThan(MOST_KIB);
      assertThat(folder.resolve("feedbridge-search.db-wal"))
          .satisfies(log -> assertThat(Files.size(log)).isLessThan(LONGEST_LOG));
    }
  }

  private FtsIndex begun(String boot) {
    FtsIndex index = FtsIndex.open(folder, Optional.of(boot));
    index.adopt("store", 1, 9);
    add(index, 0, 3);
    return index;
  }

  /** The files as a process leaves them that is killed. */
  private void kill() throws IOException {
    for (String end : List.of("", "-wal")) {
      String name = "feedbridge-search.db" + end;
      Files.copy(folder.resolve(name), left.resolve(name));
    }
  }

  private void assertFoundAgain(Path in, String boot, boolean kept) {
    try (FtsIndex index = FtsIndex.open(in, Optional.of(boot))) {
      index.adopt("store", 2, 9);
      assertThat(index.position()).isEqualTo(kept ? 1 : -1);
      assertThat(index.entries(0, 2 * BATCH)).hasSize(kept ? BATCH : 0);
      assertThat(index.remade()).isEqualTo(kept ? 0 : 1);
    }
  }

  @Test
  void an_index_outlives_a_kill_of_its_process() throws IOException {
    FtsIndex index = begun("first");
    kill();
    index.close();
    assertFoundAgain(left, "first", true);
  }

  @Test
  void an_index_that_was_open_when_the_machine_stopped_is_made_again() throws IOException {
    FtsIndex index = begun("first");
    kill();
    index.close();
    assertFoundAgain(left, "second", false);
  }

  @Test
  void an_index_that_was_closed_outlives_a_stop_of_the_machine() {
    begun("first").close();
    assertFoundAgain(folder, "second", true);
  }

  @Test
  void an_index_that_was_made_again_while_it_was_open_belongs_to_its_store() throws IOException {
    try (FtsIndex index = begun("first")) {
      index.adopt("another", 1, 9);
      add(index, 0, 3);
      kill();
    }
    try (FtsIndex index = FtsIndex.open(left, Optional.of("first"))) {
      index.adopt("another", 2, 9);
      assertThat(index.remade()).isZero();
    }
  }
}
