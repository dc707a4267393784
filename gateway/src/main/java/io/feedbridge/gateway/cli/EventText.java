package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.PlainText;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Help.Ansi.Style;

/** An event of the stream, for human readers. No text of a feed can act on the terminal. */
final class EventText {

  /** The most characters of a title. */
  private static final int MAX_TITLE = 300;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

  private static final int GONE = 410;

  private final Clock clock;
  private final ZoneId zone;
  private final boolean colours;

  /**
   * A writer.
   *
   * @param clock for events that say nothing of their time
   * @param zone in which times are told
   * @param colours whether the text is to have any, by the codes of ECMA-48
   */
  EventText(Clock clock, ZoneId zone, boolean colours) {
    this.clock = clock;
    this.zone = zone;
    this.colours = colours;
  }

  /** The text: a line about the feed, then two for each entry, or one about its state. */
  String of(JsonNode document) {
    if (document.has("gap")) {
      JsonNode gap = document.path("gap");
      return in(
          Style.fg_yellow,
          "the events after %s, up to %s, have left the log of the gateway"
              .formatted(plain(gap.path("after")), plain(gap.path("upTo"))));
    }
    JsonNode status = document.path("status");
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s  %s  %s"
            .formatted(
                in(Style.faint, time(status)),
                in(Style.bold, title(document, status)),
                in(Style.faint, plain(status.path("feed"))))
            .stripTrailing());
    JsonNode entries = document.path("items");
    for (JsonNode entry : entries) {
      lines.add("  " + title(entry, entry));
      String link = plain(entry.path("permalinkUrl"));
      if (!link.isEmpty()) {
        lines.add("    " + in(Style.fg_cyan, link));
      }
    }
    if (entries.isEmpty()) {
      lines.add("  " + in(Style.fg_yellow, state(status)));
    }
    return String.join(System.lineSeparator(), lines);
  }

  private String time(JsonNode status) {
    long seconds = status.path("lastFetch").asLong(status.path("lastParse").asLong());
    Instant at = seconds == 0 ? clock.instant() : Instant.ofEpochSecond(seconds);
    return TIME.format(at.atZone(zone));
  }

  private static String title(JsonNode what, JsonNode otherwise) {
    return Stream.of(
            what.path("title"), otherwise.path("title"), what.path("summary"), what.path("id"))
        .map(node -> PlainText.of(node.asText(), MAX_TITLE))
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("(without a title)");
  }

  private static String state(JsonNode status) {
    int code = status.path("code").asInt();
    String state =
        code == GONE ? "is gone" : code / 100 == 2 || code / 100 == 3 ? "is back" : "fails";
    String why = plain(status.path("http"));
    return why.isEmpty() ? state : state + ": " + why;
  }

  private static String plain(JsonNode text) {
    return PlainText.of(text.asText());
  }

  private String in(Style style, String text) {
    return colours && !text.isEmpty() ? style.on() + text + style.off() : text;
  }
}
