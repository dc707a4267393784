package io.feedbridge.gateway.offline;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.postgres.PostgresMoveTarget;
import io.feedbridge.gateway.store.sql.move.Move;
import io.feedbridge.gateway.store.sql.move.MoveMark;
import io.feedbridge.gateway.store.sqlite.SqliteMoveSource;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.websub.RandomToken;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;

/** Moves the embedded store of a gateway that does not run to PostgreSQL. */
public final class Migrate {

  private Migrate() {}

  /** Told of each table. */
  public interface Progress {
    /**
     * All rows of a table were copied and compared.
     *
     * @param replaced texts with the character U+0000, which PostgreSQL cannot store
     */
    void copied(String table, long rows, long replaced);
  }

  /**
   * Moves the store. Blocks.
   *
   * @param data the folder of the store
   * @param keyFile of the key that the store's secrets are encrypted with; absent for the one in
   *     the folder
   * @param url a JDBC URL of an empty PostgreSQL database
   * @return whether rows were copied; false if an earlier run had copied them, and was finished now
   * @throws StoreException if the store cannot be moved, with a message for the operator
   */
  public static boolean run(
      Path data, Optional<Path> keyFile, String url, Clock clock, Progress progress) {
    Optional<MoveMark> moved = SqliteMoveSource.markOf(data);
    if (moved.isPresent()) {
      finish(data, moved.get(), url, clock);
      return false;
    }
    KeyFile key = KeyFile.of(keyFile, data);
    try (SqliteMoveSource source = SqliteMoveSource.open(data, key);
        PostgresMoveTarget target = PostgresMoveTarget.open(url, clock)) {
      new Move(source, target)
          .run(
              RandomToken.next(new SecureRandom()),
              clock.instant(),
              one -> progress.copied(one.table(), one.rows(), one.replaced()));
    }
    return true;
  }

  private static void finish(Path data, MoveMark mark, String url, Clock clock) {
    try (PostgresMoveTarget target = PostgresMoveTarget.open(url, clock)) {
      if (Move.finish(mark, target)) {
        return;
      }
    } catch (StoreException e) {
      throw new StoreException(
          "%s (%s)".formatted(mark.refusal(data.toString()).getMessage(), e.getMessage()), e);
    }
    throw mark.refusal(data.toString());
  }
}
