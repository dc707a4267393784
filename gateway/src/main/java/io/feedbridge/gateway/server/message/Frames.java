package io.feedbridge.gateway.server.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames of WebSocket as a server sends them: whole and not masked (RFC 6455 §5.2). */
public final class Frames {

  private static final int TEXT = 0x81;
  private static final int CLOSE = 0x88;
  private static final int PING = 0x89;
  private static final int PONG = 0x8A;

  /** The longest payload whose length is in the second byte. */
  private static final int SHORT = 125;

  private static final int TWO_BYTES = 126;
  private static final int EIGHT_BYTES = 127;
  private static final int LONGEST_OF_TWO_BYTES = 0xFFFF;

  private static final int GOING_AWAY = 1001;

  private Frames() {}

  /** A message. */
  public static byte[] text(String text) {
    return frame(TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A question whether the client is there. */
  public static byte[] ping() {
    return frame(PING, new byte[0]);
  }

  /**
   * The answer to a ping.
   *
   * @param payload of the ping, at most 125 bytes
   */
  public static byte[] pong(byte[] payload) {
    return frame(PONG, payload);
  }

  /**
   * The answer to the client's last frame.
   *
   * @param payload of that, at most 125 bytes
   */
  public static byte[] close(byte[] payload) {
    return frame(CLOSE, payload);
  }

  /** The last frame where the server ends the connection. */
  public static byte[] goingAway() {
    return close(ByteBuffer.allocate(Short.BYTES).putShort((short) GOING_AWAY).array());
  }

  private static byte[] frame(int first, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(2 + Long.BYTES + payload.length).put((byte) first);
    if (payload.length <= SHORT) {
      frame.put((byte) payload.length);
    } else if (payload.length <= LONGEST_OF_TWO_BYTES) {
      frame.put((byte) TWO_BYTES).putShort((short) payload.length);
    } else {
      frame.put((byte) EIGHT_BYTES).putLong(payload.length);
    }
    frame.put(payload);
    byte[] bytes = new byte[frame.position()];
    frame.flip().get(bytes);
    return bytes;
  }
}
