package io.feedbridge.gateway;

import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.postgres.PostgresNode;
import java.io.IOException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The gateway of the time in which a node owns the store. The node's thread uses it. */
final class NodeGateway {

  private final Settings settings;
  private final Clock clock;
  private final PostgresNode node;
  private final Runnable beforeListening;
  private final Runnable afterListening;
  private final CompletableFuture<@Nullable Gateway> gateway = new CompletableFuture<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final Thread stopping = new Thread(this::closeGateway, "node-stop");

  /**
   * One that does not run yet.
   *
   * @param beforeListening leaves the address to the gateway
   * @param afterListening runs once the gateway listens, or cannot start
   */
  NodeGateway(
      Settings settings,
      Clock clock,
      PostgresNode node,
      Runnable beforeListening,
      Runnable afterListening) {
    this.settings = settings;
    this.clock = clock;
    this.node = node;
    this.beforeListening = beforeListening;
    this.afterListening = afterListening;
  }

  /** Begins to start it. */
  void start(Runnable onStart) {
    new Thread(
            () -> {
              try {
                gateway.complete(open());
                onStart.run();
              } catch (IOException | RuntimeException | Error e) {
                gateway.completeExceptionally(e);
              }
            },
            "node-start")
        .start();
  }

  private Gateway open() throws IOException {
    try {
      return Gateway.start(
          settings, clock, OutboundClient.Network.USUAL, Optional.of(node), beforeListening);
    } finally {
      afterListening.run();
    }
  }

  /** Whether it could not start. */
  boolean hasFailed() {
    return gateway.isCompletedExceptionally();
  }

  /** Begins to stop it; completes when it has stopped. */
  CompletableFuture<Void> stop() {
    stopping.start();
    return stopped;
  }

  private void closeGateway() {
    try {
      gateway.handle((open, failure) -> open).thenAccept(NodeGateway::close).join();
    } finally {
      stopped.complete(null);
    }
  }

  private static void close(@Nullable Gateway open) {
    if (open != null) {
      open.close();
    }
  }

  /** Its cause shows the part that the stop waits for. */
  IllegalStateException doesNotStop() {
    Throwable where = new IllegalStateException("the stop waits here");
    where.setStackTrace(stopping.getStackTrace());
    return new IllegalStateException("the gateway does not stop", where);
  }

  /** Throws the failure of its start, if there was one. */
  void rethrow() throws IOException {
    try {
      gateway.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw e.getCause() instanceof StoreException failure ? failure : e;
    }
  }
}
