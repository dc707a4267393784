package io.feedbridge.gateway.stream;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** How a stream of JSON documents is written. */
public enum Wire {
  /** Server-Sent Events, as the HTML standard has them (§9.2). */
  SSE("text/event-stream; charset=utf-8", ":\n\n"),
  /** One document on each line; empty lines stand for nothing. */
  NDJSON("application/x-ndjson; charset=utf-8", "\n");

  private static final String MESSAGE = "message";

  private final String contentType;
  private final String heartbeat;

  Wire(String contentType, String heartbeat) {
    this.contentType = contentType;
    this.heartbeat = heartbeat;
  }

  /** The media type of the response. */
  public String contentType() {
    return contentType;
  }

  /** What says nothing, and keeps a proxy from taking the connection for a dead one. */
  public byte[] heartbeat() {
    return bytes(heartbeat);
  }

  /** A document that a reader can go on from. */
  public byte[] document(long id, byte[] json) {
    return document(id, MESSAGE, json);
  }

  /**
   * A document of some kind.
   *
   * @param id to go on from
   * @param event the type of an SSE event; lines have none
   * @param json without line breaks
   */
  byte[] document(long id, String event, byte[] json) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + 64);
    if (this == SSE) {
      out.writeBytes(bytes("id: " + id + "\n"));
      if (!event.equals(MESSAGE)) {
        out.writeBytes(bytes("event: " + event + "\n"));
      }
      out.writeBytes(bytes("data: "));
    }
    out.writeBytes(json);
    out.writeBytes(bytes(this == SSE ? "\n\n" : "\n"));
    return out.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
