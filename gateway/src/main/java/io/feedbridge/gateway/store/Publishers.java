package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Those who may publish content. */
public interface Publishers {

  /** Adds one; a topic may have several. */
  CompletableFuture<Publisher> add(String topic, String secret, Instant now);

  /** Those of a topic. */
  List<Publisher> of(String topic);

  /** All of them in the order of their ids, after the given one. */
  List<Publisher> list(long afterId, int limit);

  /** Removes one; false if there is none such. */
  CompletableFuture<Boolean> remove(long id);
}
