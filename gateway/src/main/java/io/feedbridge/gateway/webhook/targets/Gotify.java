package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Gotify: a message for each entry, by an application's token. */
final class Gotify extends Chat {

  private final Destination messages;
  private final String token;

  /**
   * An application of a server.
   *
   * @param url of the server's folder, or of its {@code /message}
   */
  Gotify(String url, String token) {
    super(new Bounds(1, 200, 2_000, 4_000));
    String folder = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    messages = new Destination(folder.endsWith("/message") ? folder : folder + "/message");
    this.token = token;
  }

  @Override
  Map<String, Object> message(String feed, List<Note> notes) {
    Note note = notes.get(0);
    String link = note.link();
    return object(
        "title",
        note.title().isEmpty() ? feed : note.title(),
        "message",
        note.text().isEmpty() ? feed : note.text(),
        "extras",
        link == null ? null : Map.of("client::notification", Map.of("click", Map.of("url", link))));
  }

  @Override
  public Call call(WebhookMessage message, List<WebhookSecret> secrets, Instant now) {
    return call(Call.Method.POST, messages, message.body())
        .header(JSON)
        .header("X-Gotify-Key", token)
        .build();
  }
}
