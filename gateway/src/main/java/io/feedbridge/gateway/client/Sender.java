package io.feedbridge.gateway.client;

import java.util.concurrent.CompletableFuture;

/** Sends calls: all that who only asks needs of the {@link OutboundClient}. Thread-safe. */
@FunctionalInterface
public interface Sender {

  /**
   * Sends a call. Never blocks and never throws for what is in the call.
   *
   * @return completes with the answer, whatever its status, or exceptionally with a {@link
   *     CallException}; maybe on an event loop, so that what depends on it must not block
   */
  CompletableFuture<Reply> send(Call call);
}
