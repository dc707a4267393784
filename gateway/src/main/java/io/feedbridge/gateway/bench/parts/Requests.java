package io.feedbridge.gateway.bench.parts;

import io.netty.handler.codec.http.FullHttpRequest;
import org.jspecify.annotations.Nullable;

/** The requests of connections, one after the other. Safe for use by several threads. */
interface Requests {

  /** The next request; null if there is none. */
  @Nullable FullHttpRequest next();

  /**
   * A request was answered.
   *
   * @param nanos since it was sent
   */
  default void answered(long nanos) {}
}
