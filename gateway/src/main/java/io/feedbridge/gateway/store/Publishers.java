package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The publishers that may publish content. */
public interface Publishers {

  /** Adds a publisher; a topic may have several. */
  CompletableFuture<Publisher> add(String topic, String secret, Instant now);

  /** The publishers of a topic. */
  List<Publisher> of(String topic);

  /** All publishers in the order of their ids, after the given id. */
  List<Publisher> list(long afterId, int limit);

  /** Removes a publisher; false if there is none with this id. */
  CompletableFuture<Boolean> remove(long id);
}
