package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.move.StoredTable;
import io.feedbridge.gateway.store.sql.move.StoredTable.Column;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/** The tables of a database, as the server describes them. */
record PostgresSchema(Handle handle) {

  private static final String COLUMNS =
      """
      SELECT c.table_name, c.column_name, c.data_type, c.is_generated = 'ALWAYS' AS generated,
        c.is_identity = 'YES' AS identity
      FROM information_schema.columns c
      JOIN information_schema.tables t
        ON t.table_schema = c.table_schema AND t.table_name = c.table_name
      WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
        AND c.table_name NOT IN ('flyway_schema_history', 'node', 'owner', 'owner_beside',
          'takeover', 'moved')
      ORDER BY c.table_name, c.ordinal_position
      """;

  private static final String REFERENCES =
      """
      SELECT one.relname AS name, other.relname AS referred
      FROM pg_constraint c
      JOIN pg_class one ON one.oid = c.conrelid
      JOIN pg_class other ON other.oid = c.confrelid
      WHERE c.contype = 'f' AND one.relnamespace = current_schema()::regnamespace
      """;

  private record Found(String table, Column column) {}

  private record Reference(String table, String referred) {}

  /** All tables that hold rows of a store. */
  Collection<StoredTable> tables() {
    Map<String, Set<String>> references = new HashMap<>();
    handle
        .createQuery(REFERENCES)
        .map((row, context) -> new Reference(row.getString("name"), row.getString("referred")))
        .forEach(
            one ->
                references.computeIfAbsent(one.table, name -> new HashSet<>()).add(one.referred));
    Map<String, List<Column>> columns = new TreeMap<>();
    handle
        .createQuery(COLUMNS)
        .map(
            (row, context) ->
                new Found(
                    row.getString("table_name"),
                    new Column(
                        row.getString("column_name"),
                        type(row.getString("data_type")),
                        row.getBoolean("generated"),
                        row.getBoolean("identity"))))
        .forEach(
            one -> columns.computeIfAbsent(one.table, name -> new ArrayList<>()).add(one.column));
    return columns.entrySet().stream()
        .map(
            one ->
                new StoredTable(
                    one.getKey(), one.getValue(), references.getOrDefault(one.getKey(), Set.of())))
        .toList();
  }

  private static StoredTable.Type type(String name) {
    return switch (name) {
      case "bigint" -> StoredTable.Type.LONG;
      case "smallint" -> StoredTable.Type.SHORT;
      case "text" -> StoredTable.Type.TEXT;
      case "bytea" -> StoredTable.Type.BYTES;
      default -> throw new StoreException("no rows are moved to columns of the type " + name);
    };
  }

  boolean hasRows(StoredTable table) {
    return handle
        .createQuery("SELECT EXISTS (SELECT 1 FROM %s)".formatted(table.quoted()))
        .mapTo(Boolean.class)
        .one();
  }

  /** Has an identity go on behind a number, and behind the highest one in the table. */
  void continueAfter(StoredTable table, Column column, long highest) {
    handle
        .createQuery(
            """
            SELECT setval(pg_get_serial_sequence(:table, :column), last) FROM (
              SELECT greatest(:highest, (SELECT MAX(%s) FROM %s)) AS last) AS found
            WHERE last > 0
            """
                .formatted(StoredTable.quoted(column.name()), table.quoted()))
        .bind("table", table.quoted())
        .bind("column", column.name())
        .bind("highest", highest)
        .mapTo(Long.class)
        .findOne();
  }
}
