package io.feedbridge.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Collects a body up to a bound. The length that a server announces is allocated at once only up to
 * {@value #CLAIM_BELIEVED} bytes.
 */
final class ResponseBody {
  private static final byte[] NOTHING = {};
  private static final int CLAIM_BELIEVED = 64 * 1024;
  private static final int FIRST_GUESS = 2048;

  private final int most;
  private final Room room;
  private byte[] bytes = NOTHING;
  private int length;
  private boolean overflown;
  private boolean lacksRoom;

  /**
   * An empty body.
   *
   * @param most the bound in bytes
   * @param claimed the Content-Length, or a negative number
   * @param room which is asked for before the body grows
   */
  ResponseBody(int most, long claimed, Room room) {
    this.most = most;
    this.room = room;
    boolean believed = claimed > 0 && claimed <= Math.min(most, CLAIM_BELIEVED);
    if (believed && room.take((int) claimed)) {
      bytes = new byte[(int) claimed];
    }
  }

  /** Adds as many bytes as fit; false if some did not fit. Where there is no room it adds none. */
  boolean add(ByteBuf part) {
    int taken = Math.min(part.readableBytes(), most - length);
    if (taken < part.readableBytes()) {
      overflown = true;
    }
    if (taken > bytes.length - length) {
      long doubled = Math.max(FIRST_GUESS, 2L * bytes.length);
      int grown = (int) Math.min(most, Math.max(doubled, (long) length + taken));
      if (!room.take(grown - bytes.length)) {
        lacksRoom = true;
        return false;
      }
      bytes = Arrays.copyOf(bytes, grown);
    }
    part.getBytes(part.readerIndex(), bytes, length, taken);
    length += taken;
    return !overflown;
  }

  /** Whether it could not grow as it had to. */
  boolean lacksRoom() {
    return lacksRoom;
  }

  boolean overflown() {
    return overflown;
  }

  byte[] toBytes() {
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }
}
