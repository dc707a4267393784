package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.brotli.dec.BrotliInputStream;

/**
 * Undoes Brotli (RFC 7932) in answers to calls that asked for it with {@link
 * Call.Builder#acceptBrotli}. Netty decodes Brotli by native code only, and decoding takes too long
 * for an event loop. One body is decoded at a time, because each takes up to 16 MiB beside its
 * room, whatever its length. Thread-safe.
 */
public final class Brotli {

  private static final String CODING = "br";
  private static final int FIRST_GUESS = 16 * 1024;

  /** Whether the body of a reply is still as it came. */
  public static boolean isIn(Reply reply) {
    return reply.headers().first("Content-Encoding").filter(CODING::equalsIgnoreCase).isPresent();
  }

  /**
   * The decoded body of a reply. Blocks while another body is decoded.
   *
   * @param most bytes that the decoded body may have
   * @param room from which memory is taken as the body grows
   * @throws CallException TOO_LARGE, NO_ROOM, or BROKEN if the body is not valid Brotli
   */
  public synchronized byte[] undo(Reply reply, int most, Room room) throws CallException {
    try (InputStream in = new BrotliInputStream(new ByteArrayInputStream(reply.body()))) {
      return read(in, most, room);
    } catch (IOException | IndexOutOfBoundsException e) {
      throw new CallException(
          Failure.BROKEN, "The answer said to be compressed by Brotli could not be read", e);
    }
  }

  private static byte[] read(InputStream in, int most, Room room)
      throws IOException, CallException {
    byte[] bytes = {};
    int length = 0;
    int part = 0;
    while (part >= 0) {
      length += part;
      if (length > most) {
        throw new CallException(
            Failure.TOO_LARGE, "The answer, decompressed, is longer than " + most + " bytes");
      }
      if (length == bytes.length) {
        int grown = Math.min(most + 1, Math.max(FIRST_GUESS, 2 * length));
        if (!room.take(grown - length)) {
          throw new CallException(
              Failure.NO_ROOM, "Too much is being fetched at once for the answer");
        }
        bytes = Arrays.copyOf(bytes, grown);
      }
      part = in.read(bytes, length, bytes.length - length);
    }
    return Arrays.copyOf(bytes, length);
  }
}
