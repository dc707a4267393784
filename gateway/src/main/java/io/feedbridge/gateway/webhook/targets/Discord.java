package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Discord's webhooks: an embed for each entry. An entry mentions no member. */
final class Discord extends HookedChat {

  private static final int UNKNOWN_WEBHOOK = 404;

  Discord(String url, String token) {
    super(url, token, new Bounds(10, 250, 1_000, 5_500));
  }

  @Override
  Map<String, Object> message(String feed, List<Note> notes) {
    return object(
        "content",
        "**" + Markdown.escaped(feed) + "**",
        "embeds",
        notes.stream()
            .map(
                note ->
                    object(
                        "title",
                        Markdown.escaped(note.heading()),
                        "url",
                        note.link(),
                        "description",
                        present(Markdown.escaped(note.body())),
                        "timestamp",
                        note.at() == null ? null : note.at().toString()))
            .toList(),
        "allowed_mentions",
        Map.of("parse", List.of()));
  }

  @Override
  public boolean isGone(Reply reply) {
    return super.isGone(reply) || reply.status() == UNKNOWN_WEBHOOK;
  }

  @Override
  public Optional<Duration> retryAfter(Reply reply, Instant now) {
    return RateLimit.seconds(reply).or(() -> super.retryAfter(reply, now));
  }
}
