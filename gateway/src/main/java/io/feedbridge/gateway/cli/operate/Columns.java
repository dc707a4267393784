package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The columns of a table of objects of the API. */
final class Columns {

  private static final String NONE = "-";

  private record Column(String heading, String pointer) {}

  private final List<Column> columns = new ArrayList<>();

  /**
   * Columns.
   *
   * @param headingsAndPointers alternating headings and JSON Pointers into an object
   */
  static Columns of(String... headingsAndPointers) {
    Columns columns = new Columns();
    for (int i = 0; i < headingsAndPointers.length; i += 2) {
      columns.columns.add(new Column(headingsAndPointers[i], headingsAndPointers[i + 1]));
    }
    return columns;
  }

  /** A table of objects. */
  Table table(List<JsonNode> items) {
    Table table = new Table(columns.stream().map(Column::heading).toList());
    items.forEach(
        item ->
            table.add(columns.stream().map(column -> text(item.at(column.pointer()))).toList()));
    return table;
  }

  private static String text(JsonNode value) {
    if (value.isArray()) {
      String all =
          StreamSupport.stream(value.spliterator(), false)
              .map(Columns::text)
              .collect(Collectors.joining(" "));
      return all.isEmpty() ? NONE : all;
    }
    String text = value.asText("");
    return text.isEmpty() || value.isNull() ? NONE : text;
  }
}
