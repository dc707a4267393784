package io.feedbridge.gateway.cli.operate;

import io.feedbridge.gateway.cli.remote.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Rows of text under headings, in columns as wide as their widest cell. */
final class Table {

  private static final int MAX_CELL = 80;
  private static final String GAP = "  ";

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  Table(List<String> headings) {
    this.headings = headings;
  }

  /** Adds a row; a cell is cut at {@value #MAX_CELL} characters. */
  void add(List<String> cells) {
    rows.add(cells.stream().map(cell -> PlainText.of(cell, MAX_CELL)).toList());
  }

  /** The lines, with that of the headings; no blanks at their ends. */
  List<String> lines(Paint paint) {
    List<String> lines = new ArrayList<>();
    lines.add(line(headings, paint::heading));
    rows.forEach(row -> lines.add(line(row, paint::state)));
    return lines;
  }

  private String line(List<String> cells, UnaryOperator<String> painted) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      line.append(painted.apply(cell));
      if (i < cells.size() - 1) {
        line.append(GAP).append(" ".repeat(width(i) - cell.length()));
      }
    }
    return line.toString().stripTrailing();
  }

  private int width(int column) {
    int width = headings.get(column).length();
    for (List<String> row : rows) {
      width = Math.max(width, row.get(column).length());
    }
    return width;
  }
}
