package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jsoup.Jsoup;
import org.jspecify.annotations.Nullable;

/**
 * An entry as people read it in a chat.
 *
 * @param title one line; empty for none
 * @param link http or https; absent for none
 * @param text one line of plain text; empty for none
 * @param at the time that the entry gives; absent for none
 */
record Note(String title, @Nullable String link, String text, @Nullable Instant at) {

  private static final String TEXT = "text";

  /** Characters of markup that are read for a text. */
  private static final int MAX_MARKUP = 20_000;

  /** Code points of a heading that is the beginning of a text. */
  private static final int MAX_HEADING = 80;

  /** A longer URL is left out. */
  private static final int MAX_LINK = 1_000;

  /** The notes of a document, the oldest first, as a chat is read. */
  static List<Note> of(FeedDocument document) {
    Feed feed = document.feed();
    List<Note> notes = new ArrayList<>();
    for (Entry entry : feed.entries()) {
      notes.add(of(entry));
    }
    Collections.reverse(notes);
    if (notes.isEmpty() && feed.removals().isEmpty()) {
      String http = document.status().http();
      notes.add(
          new Note(
              "The state of the feed changed",
              web(document.status().feed()),
              http == null ? "" : http,
              null));
    }
    return notes;
  }

  private static Note of(Entry entry) {
    String text = plain(entry.summary());
    Instant published = entry.published();
    String title = entry.title();
    return new Note(
        title == null ? "" : line(title),
        web(entry.permalink()),
        text.isEmpty() ? plain(entry.content()) : text,
        published == null ? entry.updated() : published);
  }

  private static String plain(@Nullable Content content) {
    String markup = content == null ? null : content.asText();
    if (content == null || markup == null) {
      return "";
    }
    String begin = markup.length() > MAX_MARKUP ? markup.substring(0, MAX_MARKUP) : markup;
    return line(content.type().equals(TEXT) ? begin : Jsoup.parse(begin).text());
  }

  private static String line(String text) {
    return text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
  }

  private static @Nullable String web(@Nullable String url) {
    if (url == null || url.length() > MAX_LINK || url.chars().anyMatch(c -> c <= ' ')) {
      return null;
    }
    String scheme = url.toLowerCase(Locale.ROOT);
    return scheme.startsWith("http://") || scheme.startsWith("https://") ? url : null;
  }

  /** This note with a title and a text that are cut. */
  Note within(int maxTitle, int maxText) {
    return new Note(cut(title, maxTitle), link, cut(text, maxText), at);
  }

  /** The beginning of a text, with an ellipsis where something is missing. */
  static String cut(String text, int most) {
    return text.codePointCount(0, text.length()) <= most
        ? text
        : text.substring(0, text.offsetByCodePoints(0, most - 1)).strip() + "…";
  }

  /** The title, or else the beginning of the text, or else the link; never empty. */
  String heading() {
    if (!title.isEmpty()) {
      return title;
    }
    if (!text.isEmpty()) {
      return cut(text, MAX_HEADING);
    }
    return link == null ? "An entry without a title" : link;
  }

  /** The text, unless the heading has all of it. */
  String body() {
    return text.equals(heading()) ? "" : text;
  }
}
