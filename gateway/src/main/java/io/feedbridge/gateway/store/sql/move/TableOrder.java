package io.feedbridge.gateway.store.sql.move;

import io.feedbridge.gateway.store.StoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The order in which tables are filled. */
final class TableOrder {

  private TableOrder() {}

  /**
   * Each table after the tables that its foreign keys name, otherwise by name.
   *
   * @throws StoreException if foreign keys form a cycle
   */
  static List<StoredTable> of(Collection<StoredTable> tables) {
    Set<StoredTable> left = new TreeSet<>(Comparator.comparing(StoredTable::name));
    left.addAll(tables);
    List<StoredTable> ordered = new ArrayList<>();
    Set<String> done = new HashSet<>();
    while (!left.isEmpty()) {
      StoredTable next =
          left.stream()
              .filter(
                  table ->
                      table.references().stream()
                          .allMatch(name -> name.equals(table.name()) || done.contains(name)))
              .findFirst()
              .orElseThrow(
                  () -> new StoreException("the foreign keys of the tables form a cycle: " + left));
      left.remove(next);
      done.add(next.name());
      ordered.add(next);
    }
    return ordered;
  }
}
