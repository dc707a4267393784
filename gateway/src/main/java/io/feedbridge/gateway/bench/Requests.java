package io.feedbridge.gateway.bench;

import io.netty.handler.codec.http.FullHttpRequest;
import org.jspecify.annotations.Nullable;

/** What connections are to send, one after the other. Safe for use by several threads. */
interface Requests {

  /** The next one; null if there is none. */
  @Nullable FullHttpRequest next();
}
