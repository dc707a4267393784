package io.feedbridge.gateway.webhook.targets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.store.Json;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** CloudEvents 1.0 in JSON, in structured mode. */
public final class CloudEvent {

  /** The media type of one event. */
  public static final String CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

  private CloudEvent() {}

  /** The event of a document. */
  static byte[] of(FeedDocument document) {
    return of(Long.toString(document.eventId()), document);
  }

  /**
   * The event of a document.
   *
   * @param id unique among the events of the feed
   */
  public static byte[] of(String id, FeedDocument document) {
    return of(id, document.type(), document.status().feed(), null, document.at(), document.json());
  }

  static byte[] of(
      String id,
      String type,
      String source,
      @Nullable String subject,
      @Nullable Instant time,
      byte[] data) {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("specversion", "1.0");
    attributes.put("id", id);
    attributes.put("type", type);
    attributes.put("source", source);
    if (subject != null && !subject.isEmpty()) {
      attributes.put("subject", subject);
    }
    if (time != null) {
      attributes.put("time", time.toString());
    }
    attributes.put("datacontenttype", "application/json");
    String head = Json.text(attributes);
    ByteArrayOutputStream out = new ByteArrayOutputStream(head.length() + data.length + 10);
    out.writeBytes(head.substring(0, head.length() - 1).getBytes(UTF_8));
    out.writeBytes(",\"data\":".getBytes(UTF_8));
    out.writeBytes(data);
    out.write('}');
    return out.toByteArray();
  }
}
