package io.feedbridge.gateway.client.address;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Finds the addresses of a host name. Never blocks; safe from any thread. */
public interface Resolver extends AutoCloseable {

  /**
   * The host's addresses in the order to try them. An unknown name is an exceptional future or an
   * empty list.
   */
  CompletableFuture<List<InetAddress>> resolve(String host);

  @Override
  default void close() {}
}
