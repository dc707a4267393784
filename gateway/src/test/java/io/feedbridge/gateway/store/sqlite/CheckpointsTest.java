package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The write-ahead log stays short, and says so where it cannot. */
@Timeout(300)
final class CheckpointsTest {

  private static final int MEBIBYTE = 1 << 20;

  @TempDir Path folder;

  private SqliteDatabase database;

  @BeforeEach
  void open() {
    database = SqliteDatabase.open(folder, Runnable::run);
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** The bytes that make a copy due, and the commit that did. */
  private static final long AFTER_BYTES_AND_COMMIT = Checkpoints.AFTER_BYTES + 2 * MEBIBYTE;

  /** Overwrites the same row, so that the log grows and the database does not. */
  private void write(int mebibytes) throws Exception {
    for (int i = 0; i < mebibytes; i++) {
      CompletableFuture<Void> write =
          database.change(
              (handle, effects) ->
                  handle.execute(
                      "INSERT OR REPLACE INTO secret VALUES ('row', randomblob(?))", MEBIBYTE));
      write.get(30, TimeUnit.SECONDS);
    }
    // The checkpoint after the last commit is over once another write is.
    database.write((handle, effects) -> true).get(30, TimeUnit.SECONDS);
  }

  private static long length(Handle handle) {
    return handle
        .createQuery("SELECT LENGTH(value) FROM secret")
        .mapTo(Long.class)
        .findOne()
        .orElse(0L);
  }

  @Test
  void the_log_does_not_grow_with_what_is_written() throws Exception {
    // A connection of the readers that is opened meanwhile holds a part of the log for a moment.
    await()
        .until(
            () -> {
              long before = database.walBytes();
              write(20);
              return database.walBytes() <= Math.max(before, AFTER_BYTES_AND_COMMIT);
            });

    assertThat(database.walBytes()).isBetween((long) MEBIBYTE, Checkpoints.CUT_OFF_BYTES);
  }

  @Test
  void a_reader_that_stays_keeps_its_state_and_the_log_is_cut_off_when_it_has_gone()
      throws Exception {
    write(1);
    long held =
        database.read(
            handle -> {
              handle.begin();
              long before = length(handle);
              try {
                write(70);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              assertThat(length(handle)).isEqualTo(before);
              handle.rollback();
              return database.walBytes();
            });
    assertThat(held).isGreaterThan(Checkpoints.CUT_OFF_BYTES);

    write(10);

    assertThat(database.walBytes()).isLessThan(Checkpoints.AFTER_BYTES + 2 * MEBIBYTE);
  }

  @Test
  void what_is_in_the_log_is_there_after_a_restart() throws Exception {
    write(3);
    database.close();
    database = SqliteDatabase.open(folder, Runnable::run);

    assertThat(database.read(CheckpointsTest::length)).isEqualTo(MEBIBYTE);
  }
}
