package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.server.message.Frames;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How a stream of JSON documents is written. */
public enum Wire {
  /** Server-Sent Events, as the HTML standard has them (§9.2). */
  SSE("text/event-stream; charset=utf-8", ":\n\n", "message"),
  /** The same as Superfeedr names them. */
  NOTIFICATIONS("text/event-stream; charset=utf-8", ":\n\n", "notification"),
  /** One document on each line; empty lines stand for nothing. */
  NDJSON("application/x-ndjson; charset=utf-8", "\n", ""),
  /** Frames of WebSocket, each with a verb, a carriage return and JSON, as FeedLand sends them. */
  FIREHOSE("", "", "");

  /** The type of an event that names none. */
  private static final String MESSAGE = "message";

  private final String contentType;
  private final String heartbeat;
  private final String event;

  Wire(String contentType, String heartbeat, String event) {
    this.contentType = contentType;
    this.heartbeat = heartbeat;
    this.event = event;
  }

  /** The media type of the response. */
  public String contentType() {
    return contentType;
  }

  /** Bytes without meaning, which keep a proxy from taking the connection for a dead one. */
  public byte[] heartbeat() {
    return this == FIREHOSE ? Frames.ping() : bytes(heartbeat);
  }

  /** A document that a reader can go on from. */
  public byte[] document(long id, byte[] json) {
    return document(id, event, json);
  }

  /** A document that is followed by others before a reader can go on from it. */
  public byte[] document(byte[] json) {
    return document(null, event, json);
  }

  /**
   * A document of some kind.
   *
   * @param id to go on from; absent where that is not possible
   * @param event the type of an SSE event; lines have none
   * @param json without line breaks
   */
  byte[] document(@Nullable Long id, String event, byte[] json) {
    if (this == FIREHOSE) {
      return Frames.text(event + "\r" + new String(json, StandardCharsets.UTF_8));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + 64);
    if (this != NDJSON) {
      if (id != null) {
        out.writeBytes(bytes("id: " + id + "\n"));
      }
      if (!event.equals(MESSAGE)) {
        out.writeBytes(bytes("event: " + event + "\n"));
      }
      out.writeBytes(bytes("data: "));
    }
    out.writeBytes(json);
    out.writeBytes(bytes(this == NDJSON ? "\n" : "\n\n"));
    return out.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
