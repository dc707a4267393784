package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of an attempt and its answer, as they are on record. Long parts are cut.
 *
 * @param answer absent if there was none
 * @param error why there was no answer; absent if there was one
 */
public record Exchange(Sent request, @Nullable Answer answer, @Nullable String error) {

  /** Bytes of an answer's body that are kept. */
  static final int MAX_BODY = 1_024;

  /** Characters of all header fields of a request or an answer that are kept. */
  private static final int MAX_FIELDS = 1_500;

  private static final int MAX_URL = 500;
  private static final int MAX_ERROR = 300;

  /** A header field. */
  public record Field(String name, String value) {}

  /** The request, without the fields that each request has, such as {@code Host}. */
  public record Sent(String method, String url, List<Field> headers) {}

  /**
   * The answer.
   *
   * @param body its beginning, as UTF-8
   * @param cut whether the body was longer
   */
  public record Answer(int status, List<Field> headers, String body, boolean cut) {}

  /** The exchange of a call that has ended in a reply or a failure. */
  static Exchange of(Call call, @Nullable Reply reply, @Nullable Throwable failure) {
    List<Map.Entry<String, String>> sent =
        call.headers().stream().map(field -> Map.entry(field.name(), field.value())).toList();
    Sent request =
        new Sent(call.method().name(), start(call.destination().shown(), MAX_URL), fields(sent));
    return reply == null
        ? new Exchange(request, null, start(message(failure), MAX_ERROR))
        : new Exchange(request, answer(reply), null);
  }

  private static String message(@Nullable Throwable failure) {
    if (failure == null) {
      return "no answer";
    }
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  private static Answer answer(Reply reply) {
    int kept = Math.min(reply.body().length, MAX_BODY);
    String body = new String(reply.body(), 0, kept, StandardCharsets.UTF_8);
    return new Answer(
        reply.status(),
        fields(reply.headers().entries()),
        // JSON would have six bytes for each.
        body.replaceAll("[\\p{Cntrl}&&[^\n\t]]", "\ufffd"),
        reply.truncated() || kept < reply.body().length);
  }

  private static List<Field> fields(List<Map.Entry<String, String>> all) {
    List<Field> kept = new ArrayList<>();
    int room = MAX_FIELDS;
    for (Map.Entry<String, String> field : all) {
      String name = field.getKey().toLowerCase(Locale.ROOT);
      boolean secret = name.endsWith("authorization") || name.endsWith("-key");
      Field one = new Field(field.getKey(), secret ? "…" : field.getValue());
      room -= one.name.length() + one.value.length();
      if (room < 0) {
        break;
      }
      kept.add(one);
    }
    return kept;
  }

  private static String start(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length) + "…";
  }

  /** As JSON of at most so many bytes; the answer's fields and body are left out where need be. */
  byte[] json(int maxBytes) {
    Exchange bare =
        new Exchange(
            new Sent(request.method, request.url, List.of()),
            answer == null ? null : new Answer(answer.status, List.of(), "", true),
            error);
    byte[] whole = Json.bytes(this);
    return whole.length <= maxBytes ? whole : Json.bytes(bare);
  }

  static Exchange read(byte[] json) {
    return Json.read(json, Exchange.class);
  }
}
