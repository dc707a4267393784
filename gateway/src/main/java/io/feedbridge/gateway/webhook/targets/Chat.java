package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A service that shows messages to people: its messages are short and have no signature. */
abstract class Chat extends Target {

  private static final Set<Integer> ABOUT_MESSAGE = Set.of(400, 413, 422);

  private final Bounds bounds;

  Chat(Bounds bounds) {
    this.bounds = bounds;
  }

  /**
   * Bounds of one message, below the bounds of the service.
   *
   * @param notes in one message
   * @param title code points of a title
   * @param text code points of a text
   * @param all characters of all titles, texts and links
   */
  record Bounds(int notes, int title, int text, int all) {}

  @Override
  public final List<byte[]> messages(FeedDocument document) {
    String feed = name(document);
    List<byte[]> messages = new ArrayList<>();
    List<Note> some = new ArrayList<>();
    int length = 0;
    for (Note whole : Note.of(document)) {
      Note note = whole.within(bounds.title, bounds.text);
      String link = note.link();
      int more = note.title().length() + note.text().length() + (link == null ? 0 : link.length());
      if (!some.isEmpty() && (some.size() == bounds.notes || length + more > bounds.all)) {
        messages.add(Json.bytes(message(feed, some)));
        some.clear();
        length = 0;
      }
      some.add(note);
      length += more;
    }
    if (!some.isEmpty()) {
      messages.add(Json.bytes(message(feed, some)));
    }
    return messages;
  }

  @Override
  public final boolean newestFirst() {
    return true;
  }

  private static String name(FeedDocument document) {
    String title = document.feed().title();
    String one = title == null ? "" : title.replaceAll("\\s+", " ").strip();
    return Note.cut(one.isEmpty() ? document.status().feed() : one, 80);
  }

  @Override
  public final byte[] message(Announcement announcement) {
    return Json.bytes(
        message("Feedbridge", List.of(new Note("", null, announcement.text(), null))));
  }

  /**
   * The body of one message, of which JSON is made.
   *
   * @param feed the name of the feed
   * @param notes at least one, the oldest first
   */
  abstract Map<String, Object> message(String feed, List<Note> notes);

  @Override
  public boolean refusesMessage(Reply reply) {
    return isAboutMessage(reply);
  }

  /** Whether an answer says that a message itself is wrong. */
  static boolean isAboutMessage(Reply reply) {
    return ABOUT_MESSAGE.contains(reply.status());
  }

  /** A JSON object of names and values in turn, without the values that are absent. */
  static Map<String, Object> object(@Nullable Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value != null) {
        object.put(String.valueOf(namesAndValues[i]), value);
      }
    }
    return object;
  }

  static @Nullable String present(String text) {
    return text.isEmpty() ? null : text;
  }
}
