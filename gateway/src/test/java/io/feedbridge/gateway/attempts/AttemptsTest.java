package io.feedbridge.gateway.attempts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The recent attempts of each subscription: bounded, and there again after a restart. */
class AttemptsTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
  private static final int OK = 204;

  @TempDir Path folder;

  private Attempts open() {
    return Attempts.open(folder, CLOCK);
  }

  private static RunningAttempt begin(Attempts attempts, long subscription, long event) {
    return attempts.begin(subscription, event, 1, Attempt.Kind.ROUND, 10);
  }

  private static void deliver(Attempts attempts, long subscription, long event) {
    begin(attempts, subscription, event).ended(DeliveryOutcome.DELIVERED, OK);
  }

  private static void fail(Attempts attempts, long subscription, long event) {
    begin(attempts, subscription, event).ended(DeliveryOutcome.TIMEOUT, 0);
  }

  private static List<Long> events(Attempts attempts, long subscription) {
    return attempts.of(subscription).stream().map(Attempt::eventId).toList();
  }

  private static List<Long> range(long first, long last) {
    return LongStream.iterate(last, event -> event >= first, event -> event - 1).boxed().toList();
  }

  @Nested
  class InMemory {

    private final Attempts attempts = Attempts.inMemory(CLOCK);

    @Test
    void an_attempt_is_on_record_from_its_beginning() {
      RunningAttempt running = attempts.begin(7, 42, 3, Attempt.Kind.CATCH_UP, 1 << 20);

      assertThat(attempts.of(7))
          .containsExactly(
              new Attempt(1, 7, 42, 3, Attempt.Kind.CATCH_UP, NOW, 1 << 20, null, 0, null));

      running.ended(DeliveryOutcome.REFUSED, 599);

      Attempt ended = attempts.of(7).get(0);
      assertThat(ended.outcome()).isEqualTo(DeliveryOutcome.REFUSED);
      assertThat(ended.status()).isEqualTo(599);
      assertThat(ended.took()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
      assertThat(ended.eventId()).isEqualTo(42);
    }

    @ParameterizedTest
    @EnumSource(DeliveryOutcome.class)
    void every_outcome_is_told_apart(DeliveryOutcome outcome) {
      begin(attempts, 7, 1).ended(outcome, 0);

      assertThat(attempts.of(7)).extracting(Attempt::outcome).containsExactly(outcome);
    }

    @Test
    void the_newest_come_first_and_the_oldest_go() {
      for (int event = 1; event <= 100; event++) {
        deliver(attempts, 7, event);
      }

      assertThat(events(attempts, 7)).isEqualTo(range(100 - AttemptSet.SLOTS + 1, 100));
    }

    @Test
    void those_that_failed_stay_for_longer() {
      for (int event = 1; event <= 5; event++) {
        fail(attempts, 7, event);
      }
      for (int event = 6; event <= 100; event++) {
        deliver(attempts, 7, event);
      }

      List<Long> kept = new ArrayList<>(range(90, 100));
      kept.addAll(range(1, 5));
      assertThat(events(attempts, 7)).isEqualTo(kept);
    }

    @Test
    void failures_leave_room_for_those_that_succeeded_after_them() {
      for (int event = 1; event <= 30; event++) {
        fail(attempts, 7, event);
      }
      for (int event = 31; event <= 100; event++) {
        deliver(attempts, 7, event);
      }

      List<Long> kept = new ArrayList<>(range(92, 100));
      kept.addAll(range(24, 30));
      assertThat(events(attempts, 7)).isEqualTo(kept);
    }

    @Test
    void one_under_way_keeps_its_place_however_old_it_is() {
      RunningAttempt slow = begin(attempts, 7, 1);
      for (int event = 2; event <= 100; event++) {
        fail(attempts, 7, event);
      }

      slow.ended(DeliveryOutcome.DELIVERED, OK);

      assertThat(attempts.of(7)).hasSize(AttemptSet.SLOTS);
      Attempt oldest = attempts.of(7).get(AttemptSet.SLOTS - 1);
      assertThat(oldest.eventId()).isEqualTo(1);
      assertThat(oldest.outcome()).isEqualTo(DeliveryOutcome.DELIVERED);
    }

    @Test
    void where_all_are_under_way_the_oldest_goes_and_its_end_touches_nobody_else() {
      RunningAttempt first = begin(attempts, 7, 1);
      for (int event = 2; event <= AttemptSet.SLOTS + 1; event++) {
        begin(attempts, 7, event);
      }

      first.ended(DeliveryOutcome.DELIVERED, OK);

      assertThat(events(attempts, 7)).isEqualTo(range(2, AttemptSet.SLOTS + 1));
      assertThat(attempts.of(7)).extracting(Attempt::outcome).containsOnlyNulls();
    }

    @Test
    void subscriptions_that_share_a_set_are_told_apart() {
      deliver(attempts, 7, 1);
      fail(attempts, 7 + Attempts.SETS, 2);

      assertThat(events(attempts, 7)).containsExactly(1L);
      assertThat(events(attempts, 7 + Attempts.SETS)).containsExactly(2L);
      assertThat(attempts.of(8)).isEmpty();
    }
  }

  @Nested
  class TheFile {

    @Test
    void has_everything_after_a_stop() {
      List<Attempt> before;
      try (Attempts attempts = open()) {
        for (int event = 1; event <= 20; event++) {
          deliver(attempts, 7, event);
          fail(attempts, Long.MAX_VALUE, event);
        }
        before = new ArrayList<>(attempts.of(7));
        before.addAll(attempts.of(Long.MAX_VALUE));
      }
      try (Attempts attempts = open()) {
        List<Attempt> after = new ArrayList<>(attempts.of(7));
        after.addAll(attempts.of(Long.MAX_VALUE));
        assertThat(after).isEqualTo(before).hasSize(2 * AttemptSet.SLOTS);

        deliver(attempts, 7, 21);
        assertThat(attempts.of(7).get(0).eventId()).isEqualTo(21);
      }
    }

    @Test
    void keeps_what_kind_each_was_and_those_at_webhooks_beside_those_at_subscriptions() {
      try (Attempts attempts = open()) {
        for (Attempt.Kind kind : Attempt.Kind.values()) {
          attempts
              .begin(Attempts.ofWebhook(7), 1, 1, kind, 10)
              .ended(DeliveryOutcome.DELIVERED, 204);
        }
        deliver(attempts, 7, 1);
      }
      try (Attempts attempts = open()) {
        assertThat(attempts.of(Attempts.ofWebhook(7)))
            .extracting(Attempt::kind)
            .containsExactlyInAnyOrder(Attempt.Kind.values());
        assertThat(attempts.of(7)).hasSize(1);
      }
    }

    @Test
    void shows_as_cut_off_what_was_under_way_when_the_process_was_killed() throws IOException {
      try (Attempts attempts = open()) {
        deliver(attempts, 7, 1);
        begin(attempts, 7, 2);
        Path copy = Files.createDirectory(folder.resolve("copy"));
        // What a kill at this moment would leave behind, as soon as the writer has written it.
        await()
            .untilAsserted(
                () -> {
                  copyOfTheFile(copy);
                  try (Attempts killed = Attempts.open(copy, CLOCK)) {
                    assertThat(killed.of(7))
                        .extracting(Attempt::outcome)
                        .containsExactly(DeliveryOutcome.CUT_OFF, DeliveryOutcome.DELIVERED);
                    assertThat(killed.of(7).get(0).took()).isNull();
                  }
                });
        assertThat(attempts.of(7).get(0).outcome()).isNull();
      }
    }

    private void copyOfTheFile(Path copy) {
      try {
        Files.deleteIfExists(copy.resolve(AttemptFile.NAME));
        Files.copy(folder.resolve(AttemptFile.NAME), copy.resolve(AttemptFile.NAME));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Test
    void is_for_its_owner_alone() throws IOException {
      open().close();

      assertThat(Files.getPosixFilePermissions(file()))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void has_a_bound_and_takes_no_more_than_is_used() throws IOException {
      try (Attempts attempts = open()) {
        deliver(attempts, 1, 1);
      }
      assertThat(Files.size(file())).isLessThan(10_000);

      try (Attempts attempts = open()) {
        for (long subscription = 0; subscription < 3 * Attempts.SETS; subscription++) {
          deliver(attempts, subscription, 1);
        }
      }
      assertThat(Files.size(file()))
          .isEqualTo(AttemptFile.HEADER_BYTES + (long) Attempts.SETS * AttemptFile.SET_BYTES)
          .isLessThanOrEqualTo(AttemptFile.HEADER_BYTES + (16L << 20));
      try (Attempts attempts = open()) {
        assertThat(attempts.of(0)).hasSize(1);
        assertThat(attempts.of(3 * Attempts.SETS - 1)).hasSize(1);
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 100})
    void with_a_header_of_another_kind_or_version_is_set_aside(int at) throws IOException {
      begunAnew();
      write(at, (byte) 0x55);

      try (Attempts attempts = open()) {
        assertThat(attempts.of(7)).isEmpty();
        deliver(attempts, 7, 2);
      }
      assertThat(folder.resolve(AttemptFile.SET_ASIDE)).exists();
      try (Attempts attempts = open()) {
        assertThat(events(attempts, 7)).containsExactly(2L);
      }
    }

    @Test
    void that_is_no_record_at_all_is_set_aside() throws IOException {
      Files.writeString(file(), "something else");

      try (Attempts attempts = open()) {
        deliver(attempts, 7, 1);
      }

      assertThat(folder.resolve(AttemptFile.SET_ASIDE)).hasContent("something else");
      try (Attempts attempts = open()) {
        assertThat(events(attempts, 7)).containsExactly(1L);
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 16, 24, 32, 40, 48, 56})
    void that_is_damaged_in_one_attempt_loses_that_one_alone(int field) throws IOException {
      begunAnew();
      long set = AttemptFile.HEADER_BYTES + 7L * AttemptFile.SET_BYTES;
      write(set + field, (byte) 0x55);

      try (Attempts attempts = open()) {
        assertThat(events(attempts, 7)).isEqualTo(range(2, 3));
        deliver(attempts, 7, 4);
      }
      try (Attempts attempts = open()) {
        assertThat(events(attempts, 7)).isEqualTo(range(2, 4));
      }
    }

    @Test
    void that_was_cut_short_has_what_is_whole() throws IOException {
      begunAnew();
      try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
        channel.truncate(AttemptFile.HEADER_BYTES + 8L * AttemptFile.SET_BYTES);
      }

      try (Attempts attempts = open()) {
        assertThat(events(attempts, 7)).isEqualTo(range(1, 3));
        assertThat(attempts.of(100)).isEmpty();
      }
    }

    @Test
    void that_cannot_be_used_leaves_the_record_in_memory() throws IOException {
      Files.createDirectory(file());

      try (Attempts attempts = open()) {
        deliver(attempts, 7, 1);
        assertThat(events(attempts, 7)).containsExactly(1L);
      }
    }

    @Test
    void on_a_full_disk_leaves_the_record_in_memory() throws IOException {
      Files.createSymbolicLink(file(), Path.of("/dev/full"));

      try (Attempts attempts = open()) {
        deliver(attempts, 7, 1);
        assertThat(events(attempts, 7)).containsExactly(1L);
      }
    }

    @Test
    void takes_what_ends_after_the_stop_in_silence() {
      Attempts attempts = open();
      RunningAttempt late = begin(attempts, 7, 1);
      attempts.close();

      late.ended(DeliveryOutcome.CUT_OFF, 0);
      deliver(attempts, 7, 2);

      assertThat(events(attempts, 7)).isEqualTo(range(1, 2));
    }

    /** Three attempts of one subscription and one of another further on. */
    private void begunAnew() {
      try (Attempts attempts = open()) {
        for (int event = 1; event <= 3; event++) {
          deliver(attempts, 7, event);
        }
        deliver(attempts, 100, 1);
      }
    }

    private Path file() {
      return folder.resolve(AttemptFile.NAME);
    }

    private void write(long position, byte value) throws IOException {
      try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(new byte[] {value}), position);
      }
    }
  }

  @Nested
  class ManyThreads {

    private static final int THREADS = 4;
    private static final int SUBSCRIPTIONS = 20;
    private static final int ATTEMPTS_OF_EACH = 20_000;

    /** Each field says which attempt it belongs to. */
    private static void attempt(Attempts attempts, long event) {
      int number = (int) (event % 1_000) + 1;
      Attempt.Kind kind = event % 2 == 0 ? Attempt.Kind.ROUND : Attempt.Kind.CATCH_UP;
      RunningAttempt running =
          attempts.begin(event % SUBSCRIPTIONS, event, number, kind, (int) event);
      if (event % 3 != 0) {
        running.ended(event % 3 == 1 ? DeliveryOutcome.DELIVERED : DeliveryOutcome.REFUSED, number);
      }
    }

    private static void assertWhole(Attempt attempt) {
      long event = attempt.eventId();
      assertThat(attempt.subscriptionId()).isEqualTo(event % SUBSCRIPTIONS);
      assertThat(attempt.number()).isEqualTo(event % 1_000 + 1);
      assertThat(attempt.bytes()).isEqualTo(event);
      assertThat(attempt.kind())
          .isEqualTo(event % 2 == 0 ? Attempt.Kind.ROUND : Attempt.Kind.CATCH_UP);
      if (attempt.outcome() != null && attempt.outcome() != DeliveryOutcome.CUT_OFF) {
        assertThat(attempt.outcome())
            .isEqualTo(event % 3 == 1 ? DeliveryOutcome.DELIVERED : DeliveryOutcome.REFUSED);
        assertThat(attempt.status()).isEqualTo(attempt.number());
      }
    }

    private static List<Attempt> all(Attempts attempts) {
      return LongStream.range(0, SUBSCRIPTIONS)
          .boxed()
          .flatMap(subscription -> attempts.of(subscription).stream())
          .toList();
    }

    @Test
    void nobody_reads_half_an_attempt_and_the_file_has_the_same_in_the_end()
        throws InterruptedException, ExecutionException {
      ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
      AtomicBoolean done = new AtomicBoolean();
      List<Attempt> before;
      try (Attempts attempts = open()) {
        Future<Boolean> reader =
            threads.submit(
                () -> {
                  while (!done.get()) {
                    all(attempts).forEach(ManyThreads::assertWhole);
                  }
                  return true;
                });
        List<Callable<Boolean>> writers = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
          int first = thread;
          writers.add(
              () -> {
                for (int i = 0; i < ATTEMPTS_OF_EACH; i++) {
                  attempt(attempts, (long) i * THREADS + first + 1);
                }
                return true;
              });
        }
        for (Future<Boolean> writer : threads.invokeAll(writers)) {
          assertThat(writer.get()).isTrue();
        }
        done.set(true);
        assertThat(reader.get()).isTrue();
        before = all(attempts);
      } finally {
        done.set(true);
        threads.shutdown();
      }

      assertThat(before)
          .hasSize(SUBSCRIPTIONS * AttemptSet.SLOTS)
          .allSatisfy(ManyThreads::assertWhole);
      assertThat(before).extracting(Attempt::id).doesNotHaveDuplicates();
      try (Attempts attempts = open()) {
        assertThat(all(attempts))
            .allSatisfy(ManyThreads::assertWhole)
            .extracting(Attempt::id)
            .isEqualTo(before.stream().map(Attempt::id).toList());
      }
    }
  }
}
