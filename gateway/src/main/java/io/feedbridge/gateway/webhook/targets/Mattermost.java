package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Reply;
import java.util.List;
import java.util.Map;

/** Mattermost's incoming webhooks: one text in Markdown. */
final class Mattermost extends HookedChat {

  Mattermost(String url, String token) {
    super(url, token, new Bounds(10, 150, 500, 3_000));
  }

  @Override
  Map<String, Object> message(String feed, List<Note> notes) {
    StringBuilder text = new StringBuilder("**").append(Markdown.escaped(feed)).append("**");
    for (Note note : notes) {
      String heading = Markdown.escaped(note.heading());
      text.append("\n\n").append(Markdown.link(heading, note.link()));
      if (!note.body().isEmpty()) {
        text.append("\n").append(Markdown.escaped(note.body()));
      }
    }
    return object("text", text.toString());
  }

  /** A webhook that is no more is answered with 400 too. */
  @Override
  public boolean refusesMessage(Reply reply) {
    return false;
  }
}
