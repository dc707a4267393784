package io.feedbridge.gateway.web.stream;

import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

/**
 * The caller that reads a stream. Its right is asked again before each piece that is sent to it and
 * at each heartbeat, since a session or a token can end while the stream runs.
 *
 * @param key as limits tell callers apart
 * @param right whether the caller may read now; may block on the store, and is thread-safe
 * @param hidden feeds of which the caller is given nothing; never blocks, and is thread-safe
 */
public record StreamCaller(String key, BooleanSupplier right, LongPredicate hidden) {

  /** A caller that no feed is hidden from. */
  public StreamCaller(String key, BooleanSupplier right) {
    this(key, right, feed -> false);
  }

  /** Whether the caller may read now. Blocks where the right is read from the store. */
  boolean mayRead() {
    return right.getAsBoolean();
  }
}
