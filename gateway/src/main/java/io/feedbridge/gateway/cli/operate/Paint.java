package io.feedbridge.gateway.cli.operate;

import java.util.Map;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** The colours of a terminal; none where the output is no terminal, or NO_COLOR is set. */
record Paint(Ansi ansi) {

  private static final Map<String, Style> WORDS =
      Map.ofEntries(
          Map.entry("active", Style.fg_green),
          Map.entry("delivered", Style.fg_green),
          Map.entry("OK", Style.fg_green),
          Map.entry("new", Style.fg_yellow),
          Map.entry("waiting", Style.fg_yellow),
          Map.entry("pending", Style.fg_yellow),
          Map.entry("lagging", Style.fg_yellow),
          Map.entry("WARN", Style.fg_yellow),
          Map.entry("disabled", Style.fg_red),
          Map.entry("error", Style.fg_red),
          Map.entry("gone", Style.fg_red),
          Map.entry("failed", Style.fg_red),
          Map.entry("PROBLEM", Style.fg_red),
          Map.entry("FAIL", Style.fg_red));

  /** A heading. */
  String heading(String text) {
    return in(Style.bold, text);
  }

  /** A cell that is the name of a state, or a result, in its colour; any other as it is. */
  String state(String text) {
    Style style = WORDS.get(text);
    return style == null ? text : in(style, text);
  }

  /** A line that begins with a result. */
  String result(String line) {
    int end = line.indexOf(' ');
    return end < 0 ? line : state(line.substring(0, end)) + line.substring(end);
  }

  private String in(Style style, String text) {
    return ansi.enabled() ? style.on() + text + style.off() : text;
  }
}
