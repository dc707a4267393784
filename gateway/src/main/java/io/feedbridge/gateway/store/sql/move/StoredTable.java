package io.feedbridge.gateway.store.sql.move;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table of a store.
 *
 * @param columns in the order in which they are moved
 * @param references the tables that its foreign keys name
 */
public record StoredTable(String name, List<Column> columns, Set<String> references) {

  public StoredTable {
    columns = List.copyOf(columns);
    references = Set.copyOf(references);
  }

  /**
   * A column.
   *
   * @param generated whether the engine computes the value
   * @param identity whether the engine counts the value up
   */
  public record Column(String name, Type type, boolean generated, boolean identity) {}

  /** The type of a column, as the target has it. */
  public enum Type {
    LONG,
    SHORT,
    TEXT,
    BYTES
  }

  /** The names of all columns, quoted, separated by commas. */
  public String columnList() {
    return list(columns);
  }

  /** The columns that are written; the others follow from them. */
  public List<Column> written() {
    return columns.stream().filter(column -> !column.generated).toList();
  }

  /** The names of {@link #written}, quoted, separated by commas. */
  public String writtenList() {
    return list(written());
  }

  private static String list(List<Column> columns) {
    return columns.stream().map(column -> quoted(column.name)).collect(Collectors.joining(", "));
  }

  /** The name, quoted. */
  public String quoted() {
    return quoted(name);
  }

  /** A name of the schema as statements of both engines have it. */
  public static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
