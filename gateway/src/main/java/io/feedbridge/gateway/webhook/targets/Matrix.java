package io.feedbridge.gateway.webhook.targets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jsoup.nodes.Entities;

/**
 * A room of Matrix, by the client-server API: a notice in plain text and HTML. The id of a message
 * is that of its transaction, so that a message that is sent again is shown once.
 */
final class Matrix extends Chat {

  private final String room;
  private final String token;

  /**
   * A room of a homeserver.
   *
   * @param url of the homeserver, with the id of the room as its last segment
   */
  Matrix(String url, String token) {
    super(new Bounds(10, 150, 500, 6_000));
    int slash = url.lastIndexOf('/');
    room =
        "%s/_matrix/client/v3/rooms/%s/send/m.room.message/"
            .formatted(
                url.substring(0, slash),
                URLEncoder.encode(url.substring(slash + 1).replace("%21", "!"), UTF_8));
    this.token = token;
  }

  @Override
  Map<String, Object> message(String feed, List<Note> notes) {
    String plain = notes.stream().map(Matrix::plain).collect(Collectors.joining("\n\n"));
    String html = notes.stream().map(Matrix::html).collect(Collectors.joining());
    return object(
        "msgtype",
        "m.notice",
        "body",
        feed + "\n\n" + plain,
        "format",
        "org.matrix.custom.html",
        "formatted_body",
        "<p><strong>%s</strong></p>%s".formatted(Entities.escape(feed), html),
        "m.mentions",
        Map.of());
  }

  private static String plain(Note note) {
    String link = note.link();
    return List.of(note.heading(), note.body(), link == null ? "" : link).stream()
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static String html(Note note) {
    String link = note.link();
    String heading = Entities.escape(note.heading());
    String title =
        link == null ? heading : "<a href=\"%s\">%s</a>".formatted(Entities.escape(link), heading);
    String text = note.body().isEmpty() ? "" : "<br>" + Entities.escape(note.body());
    return "<p>%s%s</p>".formatted(title, text);
  }

  @Override
  public Call call(WebhookMessage message, List<WebhookSecret> secrets, Instant now) {
    Destination transaction = new Destination(room + URLEncoder.encode(message.id(), UTF_8));
    return call(Call.Method.PUT, transaction, message.body())
        .header(JSON)
        .header(bearer(token))
        .build();
  }

  @Override
  public Optional<Duration> retryAfter(Reply reply, Instant now) {
    return RateLimit.milliseconds(reply).or(() -> super.retryAfter(reply, now));
  }
}
