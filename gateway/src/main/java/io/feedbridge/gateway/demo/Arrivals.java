package io.feedbridge.gateway.demo;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The items under way, by crossing, and the times of their arrival. Thread-safe. */
final class Arrivals {

  private record Item(Crossing crossing, String title) {}

  private final Map<Item, CompletableFuture<Instant>> expected = new ConcurrentHashMap<>();

  /** Completes when an item, which is not published yet, has come over a crossing. */
  CompletableFuture<Instant> expect(Crossing crossing, String title) {
    return expected.computeIfAbsent(new Item(crossing, title), any -> new CompletableFuture<>());
  }

  /** Expects an item no more. */
  void forget(String title) {
    expected.keySet().removeIf(item -> item.title.equals(title));
  }

  /** Records that an item has come; an unexpected item is ignored. */
  void arrived(Crossing crossing, String title, Instant at) {
    CompletableFuture<Instant> arrival = expected.remove(new Item(crossing, title));
    if (arrival != null) {
      arrival.complete(at);
    }
  }
}
