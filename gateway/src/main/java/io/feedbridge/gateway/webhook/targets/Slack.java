package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Slack's incoming webhooks: two sections for each entry, and a text for notifications. */
final class Slack extends HookedChat {

  private static final int NO_SERVICE = 404;

  /** Characters of a link as it is written: a section has 3,000. */
  private static final int MAX_LINK = 2_000;

  Slack(String url, String token) {
    super(url, token, new Bounds(10, 150, 500, 8_000));
  }

  @Override
  Map<String, Object> message(String feed, List<Note> notes) {
    String text =
        notes.stream()
            .map(note -> escaped(note.heading()))
            .collect(Collectors.joining("; ", escaped(feed) + ": ", ""));
    List<Object> blocks = new ArrayList<>();
    blocks.add(section("*" + escaped(feed) + "*"));
    for (Note note : notes) {
      blocks.add(section(heading(note)));
      if (!note.body().isEmpty()) {
        blocks.add(section(escaped(note.body())));
      }
    }
    return object("text", text, "blocks", blocks, "unfurl_links", false);
  }

  /** A link without the characters that end it; the text beside it has no bar. */
  private static String heading(Note note) {
    String link = note.link() == null ? "" : escaped(note.link());
    String text = escaped(note.heading());
    return link.isEmpty() || link.length() > MAX_LINK || link.indexOf('|') >= 0
        ? text
        : "<%s|%s>".formatted(link, text.replace('|', '/'));
  }

  private static Map<String, Object> section(String text) {
    return object("type", "section", "text", object("type", "mrkdwn", "text", text));
  }

  /** With the three characters that mean something, so that no entry mentions a member. */
  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public boolean isGone(Reply reply) {
    return super.isGone(reply) || reply.status() == NO_SERVICE;
  }
}
