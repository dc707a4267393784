package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ntfy: a notification for each entry, published as JSON to the server's root, where titles need no
 * encoding.
 */
final class Ntfy extends Chat {

  private final Destination server;
  private final String topic;
  private final @Nullable String token;

  /**
   * A topic of a server.
   *
   * @param url whose last segment is the topic
   */
  Ntfy(String url, @Nullable String token) {
    super(new Bounds(1, 200, 900, 4_000));
    int slash = url.lastIndexOf('/');
    server = new Destination(url.substring(0, slash + 1));
    topic = url.substring(slash + 1);
    this.token = token;
  }

  @Override
  Map<String, Object> message(String feed, List<Note> notes) {
    Note note = notes.get(0);
    return object(
        "topic",
        topic,
        "title",
        note.title().isEmpty() ? feed : note.title(),
        "message",
        note.text().isEmpty() ? feed : note.text(),
        "click",
        note.link());
  }

  @Override
  public Call call(WebhookMessage message, List<WebhookSecret> secrets, Instant now) {
    Call.Builder call = call(Call.Method.POST, server, message.body()).header(JSON);
    return (token == null ? call : call.header(bearer(token))).build();
  }
}
