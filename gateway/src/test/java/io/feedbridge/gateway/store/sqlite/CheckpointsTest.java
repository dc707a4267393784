package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

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
@Timeout(60)
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
    // Readers' connections are opened meanwhile, each of which holds a part of the log for a
    // moment.
    write(20);
    long before = database.walBytes();

    write(50);

    // What makes it due, and the commit that did.
    assertThat(database.walBytes())
        .isBetween((long) MEBIBYTE, Math.max(before, Checkpoints.AFTER_BYTES + 2 * MEBIBYTE));
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
