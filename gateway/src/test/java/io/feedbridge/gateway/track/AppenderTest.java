package io.feedbridge.gateway.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.Trackers;
import io.feedbridge.gateway.track.Appender.Piece;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Transactions of trackers against a store that refuses some entries. */
class AppenderTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Refusing store = new Refusing();
  private final Appender appender = new Appender(store, new Meters(registry, Clock.systemUTC()));

  private static final class Refusing implements Trackers {
    private final List<List<String>> appended = new ArrayList<>();
    private long position;
    private boolean down;

    @Override
    public List<Tracker> changes(long after, int limit) {
      return List.of();
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public List<Long> having(EntryKey entry) {
      return List.of();
    }

    @Override
    public CompletableFuture<Integer> append(List<Catch> caught, long to, Instant now) {
      List<String> ids =
          caught.stream()
              .flatMap(one -> Stream.concat(one.fresh().stream(), one.changed().stream()))
              .map(found -> found.key().id())
              .toList();
      if (down || ids.contains("bad")) {
        return CompletableFuture.failedFuture(new IllegalStateException("refused"));
      }
      if (!ids.isEmpty()) {
        appended.add(ids);
      }
      position = Math.max(position, to);
      return CompletableFuture.completedFuture(ids.size());
    }
  }

  private static Piece piece(String id, int length) {
    return new Piece(
        7,
        new Trackers.Found(
            new EntryKey(1, id), OutcomeBuilder.entry(id, "x".repeat(length)), false),
        true);
  }

  private static List<Piece> pieces(String... ids) {
    return Stream.of(ids).map(id -> piece(id, 10)).toList();
  }

  private double passedOver() {
    return registry.counter("feedbridge.trackers.passed.over").count();
  }

  @Test
  void an_entry_that_the_store_refuses_is_passed_over_and_counted_and_the_others_are_appended() {
    appender.append(pieces("a", "b", "bad", "c", "d"), 9, Instant.EPOCH);

    assertThat(store.appended.stream().flatMap(List::stream)).containsExactly("a", "b", "c", "d");
    assertThat(store.position).isEqualTo(9);
    assertThat(passedOver()).isEqualTo(1);
  }

  @Test
  void the_last_entry_too_may_be_refused() {
    appender.append(pieces("a", "bad"), 9, Instant.EPOCH);

    assertThat(store.appended).containsExactly(List.of("a"));
    assertThat(store.position).isEqualTo(9);
  }

  @Test
  void no_entry_is_passed_over_while_the_store_writes_nothing() {
    store.down = true;

    assertThatThrownBy(() -> appender.append(pieces("a"), 9, Instant.EPOCH))
        .isInstanceOf(CompletionException.class);
    assertThat(store.position).isZero();
    assertThat(passedOver()).isZero();
  }

  @Test
  void a_transaction_is_bounded_in_entries_and_in_bytes() {
    appender.append(
        IntStream.range(0, Appender.CHUNK + 1).mapToObj(i -> piece("n" + i, 1)).toList(),
        1,
        Instant.EPOCH);
    assertThat(store.appended).extracting(List::size).containsExactly(Appender.CHUNK, 1);

    store.appended.clear();
    int half = (int) Appender.CHUNK_BYTES / 2 - 1_000;
    appender.append(
        List.of(piece("a", half), piece("b", half), piece("c", 3 * half), piece("d", 1)),
        2,
        Instant.EPOCH);
    assertThat(store.appended).containsExactly(List.of("a", "b"), List.of("c"), List.of("d"));
  }

  @Test
  void an_entry_that_many_trackers_get_counts_once_in_the_bytes_of_a_transaction() {
    Piece one = piece("a", (int) Appender.CHUNK_BYTES / 2);

    appender.append(Collections.nCopies(10, one), 1, Instant.EPOCH);

    assertThat(store.appended).hasSize(1);
  }
}
