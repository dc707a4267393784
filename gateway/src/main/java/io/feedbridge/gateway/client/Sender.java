package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import java.util.concurrent.CompletableFuture;

/** Sends calls: the part of the {@link OutboundClient} that callers use. Thread-safe. */
@FunctionalInterface
public interface Sender {

  /**
   * Sends a call. Never blocks; a bad call fails its future and throws nothing.
   *
   * @return completes with the answer, whatever its status, or exceptionally with a {@link
   *     CallException}. It may complete on an event loop, so dependent stages must not block
   */
  CompletableFuture<Reply> send(Call call);
}
