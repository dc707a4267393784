package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disk space that removed rows left is given back, in steps. */
class FreeSpaceTest {

  private static final long MIB = 1L << 20;
  private static final int ROWS = 200;

  @TempDir Path data;

  private Path file() {
    return data.resolve("some.db");
  }

  private void with(Consumer<Handle> action) {
    Jdbi jdbi = Connections.jdbi(Connections.writing(file()));
    jdbi.useHandle(action::accept);
  }

  private static void fill(Handle handle) {
    handle.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, payload BLOB)");
    for (int i = 0; i < ROWS; i++) {
      handle.execute("INSERT INTO event (payload) VALUES (zeroblob(?))", 40_000);
    }
    handle.execute("INSERT INTO event (payload) VALUES ('the last')");
    handle.execute("DELETE FROM event WHERE seq <= ?", ROWS);
  }

  private long size() {
    with(handle -> handle.createQuery("PRAGMA wal_checkpoint(TRUNCATE)").mapToMap().list());
    try {
      return Files.size(file());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void free_space_is_given_back_in_steps_down_to_what_is_kept() {
    FreeSpace.makeReturnable(file(), Connections.jdbi(Connections.writing(file())));
    with(FreeSpaceTest::fill);
    long before = size();
    assertThat(before).isGreaterThan(7 * MIB);

    with(
        handle -> {
          long given = handle.inTransaction(open -> FreeSpace.giveBack(open, 2 * MIB, MIB));
          assertThat(given).isEqualTo(MIB);
          int steps = 0;
          while (FreeSpace.giveBack(handle, 2 * MIB, MIB) > 0) {
            steps++;
          }
          assertThat(steps).isBetween(4, 6);
        });

    assertThat(size()).isBetween(2 * MIB, 3 * MIB);
    with(
        handle ->
            assertThat(handle.createQuery("SELECT payload FROM event").mapTo(String.class).list())
                .containsExactly("the last"));
  }

  @Test
  void a_store_of_an_earlier_version_is_written_anew_once_and_then_gives_back() {
    with(FreeSpaceTest::fill);
    with(handle -> assertThat(FreeSpace.giveBack(handle, 0, MIB)).isZero());

    FreeSpace.makeReturnable(file(), Connections.jdbi(Connections.writing(file())));

    assertThat(size()).isLessThan(MIB);
    with(
        handle -> {
          handle.execute("INSERT INTO event (payload) VALUES (zeroblob(?))", 3 * MIB);
          handle.execute("DELETE FROM event WHERE seq > ?", ROWS + 1);
          assertThat(FreeSpace.giveBack(handle, 0, MIB)).isEqualTo(MIB);
        });
  }

  @Test
  void of_a_file_of_an_earlier_version_what_is_in_use_decides_whether_it_is_written_anew() {
    with(FreeSpaceTest::fill);
    with(handle -> handle.execute("INSERT INTO event (payload) VALUES (zeroblob(?))", 2 * MIB));
    assertThat(size()).isGreaterThan(7 * MIB);
    Jdbi writers = Connections.jdbi(Connections.writing(file()));

    FreeSpace.makeReturnable(file(), writers, MIB);
    assertThat(size()).isGreaterThan(7 * MIB);

    FreeSpace.makeReturnable(file(), writers, 3 * MIB);
    assertThat(size()).isLessThan(3 * MIB);
  }

  @Test
  void a_new_store_can_give_back() {
    SqliteBackend backend = new SqliteBackend(data);
    backend.close();

    Jdbi jdbi = Connections.jdbi(Connections.reading(data.resolve("feedbridge.db")));
    int mode = jdbi.withHandle(h -> h.createQuery("PRAGMA auto_vacuum").mapTo(Integer.class).one());
    assertThat(mode).isEqualTo(2);
  }
}
