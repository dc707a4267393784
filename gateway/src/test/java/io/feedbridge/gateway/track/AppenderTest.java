package io.feedbridge.gateway.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.TrackedItem;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.track.Appender.Piece;
import io.feedbridge.normalizer.Entry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions of trackers in a store that refuses some entries. */
class AppenderTest {

  @TempDir private Path folder;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private SqliteBackend backend;
  private Trackers trackers;
  private Appender appender;
  private long tracker;
  private int transactions;
  private boolean down;

  @BeforeEach
  void open() {
    backend = new SqliteBackend(folder);
    trackers = new Trackers(StageBench.faulty(Database.class, backend.database(), this::written));
    appender = new Appender(trackers, new Meters(registry, Clock.systemUTC()));
    tracker = tracker(0);
    backend
        .database()
        .change(
            (handle, effects) ->
                handle.execute(
                    """
                    CREATE TRIGGER refuses BEFORE INSERT ON shared_entry WHEN NEW.seen_id = '%s'
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """
                        .formatted(found("bad", 1).seenId())))
        .join();
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private @Nullable Object written(
      String method, @Nullable Object[] arguments, Callable<@Nullable Object> rest)
      throws Exception {
    transactions += method.equals("writePatiently") ? 1 : 0;
    return down && method.equals("writePatiently") ? StageBench.diskFull() : rest.call();
  }

  private long tracker(int number) {
    return backend
        .store()
        .feeds()
        .follow("https://tracker.example/" + number, Instant.EPOCH)
        .join()
        .id();
  }

  /** The ids of each transaction's entries, in the order of their arrival. */
  private List<List<String>> appended() {
    return backend.store().feeds().events(tracker, 0, Long.MAX_VALUE).stream()
        .map(
            event -> {
              List<String> ids =
                  event.update().feed().entries().stream()
                      .map(Entry::id)
                      .collect(Collectors.toList());
              Collections.reverse(ids);
              return ids;
            })
        .toList();
  }

  private static TrackedItem.Found found(String id, int length) {
    return new TrackedItem.Found(
        new EntryKey(1, id), OutcomeBuilder.entry(id, "x".repeat(length)), false);
  }

  private Piece piece(String id, int length) {
    return new Piece(tracker, found(id, length), true);
  }

  private List<Piece> pieces(String... ids) {
    return Stream.of(ids).map(id -> piece(id, 10)).toList();
  }

  private double passedOver() {
    return registry.counter("feedbridge.trackers.passed.over").count();
  }

  @Test
  void an_entry_that_the_store_refuses_is_passed_over_and_counted_and_the_others_are_appended() {
    appender.append(pieces("a", "b", "bad", "c", "d"), 9, Instant.EPOCH);

    assertThat(appended().stream().flatMap(List::stream)).containsExactly("a", "b", "c", "d");
    assertThat(trackers.position()).isEqualTo(9);
    assertThat(passedOver()).isEqualTo(1);
  }

  @Test
  void the_last_entry_too_may_be_refused() {
    appender.append(pieces("a", "bad"), 9, Instant.EPOCH);

    assertThat(appended()).containsExactly(List.of("a"));
    assertThat(trackers.position()).isEqualTo(9);
  }

  @Test
  void no_entry_is_passed_over_while_the_store_writes_nothing() {
    down = true;

    assertThatThrownBy(() -> appender.append(pieces("a"), 9, Instant.EPOCH))
        .isInstanceOf(CompletionException.class);
    assertThat(trackers.position()).isZero();
    assertThat(passedOver()).isZero();
  }

  @Test
  void a_transaction_is_bounded_in_entries_and_in_bytes() {
    appender.append(
        IntStream.range(0, Appender.CHUNK + 1).mapToObj(i -> piece("n" + i, 1)).toList(),
        1,
        Instant.EPOCH);
    assertThat(appended()).extracting(List::size).containsExactly(Appender.CHUNK, 1);

    int before = appended().size();
    int half = (int) Appender.CHUNK_BYTES / 2 - 1_000;
    appender.append(
        List.of(piece("a", half), piece("b", half), piece("c", 3 * half), piece("d", 1)),
        2,
        Instant.EPOCH);
    assertThat(appended().stream().skip(before))
        .containsExactly(List.of("a", "b"), List.of("c"), List.of("d"));
  }

  @Test
  void an_entry_that_many_trackers_get_counts_once_in_the_bytes_of_a_transaction() {
    TrackedItem.Found one = found("a", (int) Appender.CHUNK_BYTES / 2);

    appender.append(
        IntStream.range(0, 10).mapToObj(i -> new Piece(tracker(i), one, true)).toList(),
        1,
        Instant.EPOCH);

    assertThat(transactions).isEqualTo(1);
    assertThat(appended()).containsExactly(List.of("a"));
  }
}
