package io.feedbridge.gateway.store.sql.move;

import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Moves all rows of a store to an empty one. The copy is one transaction of the target, which is
 * compared with the source before it is committed. A process that ends before the commit leaves an
 * empty target; one that ends later leaves a target that is refused until the move is finished.
 */
public final class Move {

  private final MoveSource source;
  private final MoveTarget target;

  /** Both stay their opener's to close. */
  public Move(MoveSource source, MoveTarget target) {
    this.source = source;
    this.target = target;
  }

  /**
   * A table that was copied and compared.
   *
   * @param replaced texts with U+0000, which the target cannot store and which has U+FFFD there
   */
  public record Moved(String table, long rows, String checksum, long replaced) {}

  /** Told of each table. */
  public interface Progress {
    /** The table was copied and compared, and is not committed yet. */
    void copied(Moved table);
  }

  /**
   * Finishes a move whose source has its mark.
   *
   * @param mark of the source
   * @return whether there was something to finish
   */
  public static boolean finish(MoveMark mark, MoveTarget target) {
    boolean unfinished =
        target.mark().filter(copy -> copy.token().equals(mark.token())).isPresent();
    if (unfinished) {
      target.finish();
    }
    return unfinished;
  }

  /**
   * Moves everything. Blocks.
   *
   * @param token a random name of this move
   * @throws StoreException if the target is not empty, or differs from the source, with a message
   *     for the operator; the source is then as it was
   */
  public void run(String token, Instant now, Progress progress) {
    target
        .mark()
        .ifPresent(
            copy -> {
              if (!copy.peer().equals(source.name())) {
                throw copy.refusal(target.name());
              }
            });
    if (target.mark().isEmpty() && !target.isEmpty()) {
      throw new StoreException(
          ("the database %s is not empty: a gateway has used it, or a store was moved to it before;"
                  + " make an empty database")
              .formatted(target.name()));
    }
    List<StoredTable> tables = TableOrder.of(target.tables());
    check(tables);
    target.begin(tables);
    try {
      for (StoredTable table : tables) {
        progress.copied(copy(table));
      }
    } catch (IOException e) {
      throw new StoreException("the store cannot be copied: " + e.getMessage(), e);
    }
    target.commit(new MoveMark(token, source.name(), false, now), source.epoch());
    source.mark(new MoveMark(token, target.name(), true, now));
    target.finish();
  }

  private void check(List<StoredTable> tables) {
    Set<String> lost = new TreeSet<>(source.tables());
    lost.removeAll(tables.stream().map(StoredTable::name).collect(Collectors.toSet()));
    if (!lost.isEmpty()) {
      throw new StoreException("the database has no tables for %s".formatted(lost));
    }
  }

  private Moved copy(StoredTable table) throws IOException {
    RowForm all = new RowForm(table, table.columns());
    RowForm written = new RowForm(table, table.written());
    RowSum sum = new RowSum();
    boolean whole = table.written().equals(table.columns());
    target.write(
        table,
        each ->
            source.read(
                table,
                row -> {
                  all.read(row);
                  all.addTo(sum);
                  if (whole) {
                    each.row(all);
                  } else {
                    written.read(row);
                    each.row(written);
                  }
                }));
    RowSum found = target.read(table);
    if (!found.matches(sum)) {
      throw new StoreException(
          ("the copy of the table %s differs from the store: %,d rows with the checksum %s, and %,d"
                  + " rows with the checksum %s in the database; nothing was moved")
              .formatted(table.name(), sum.rows(), sum.checksum(), found.rows(), found.checksum()));
    }
    target.continueAfter(table, source.highest(table.name()));
    return new Moved(table.name(), sum.rows(), sum.checksum(), all.replaced());
  }
}
