package io.feedbridge.gateway.server.message;

import io.feedbridge.gateway.server.limits.ServerLimits;
import java.util.concurrent.CompletableFuture;

/**
 * Where the content of a response goes that is written as it comes into being. Thread-safe; none of
 * the methods blocks.
 *
 * <p>Bytes that the client has not taken are bounded by {@link ServerLimits#unsent}, and the time
 * it may leave any of them by {@link ServerLimits#sendTime}: past either the connection is closed.
 * A writer that has much to say therefore waits for one write before it makes the next.
 */
public interface Outflow {

  /**
   * Sends bytes, which must not change afterwards: they are not copied, and may be sent to many.
   *
   * @return completes once the system has taken them all; with a failure when the client is gone
   */
  CompletableFuture<Void> write(byte[] bytes);

  /** Ends the response after the bytes written so far. To repeat it does nothing. */
  void end();

  /** Closes the connection at once: bytes that the client has not taken are lost. */
  void abort();

  /** Completes when the response has ended, by whichever side; never with a failure. */
  CompletableFuture<Void> ended();
}
