package io.feedbridge.gateway.demo;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Which items are under way to whom, and when they arrive. Thread-safe. */
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

  /** An item has come; one that nobody expects counts for nothing. */
  void arrived(Crossing crossing, String title, Instant at) {
    CompletableFuture<Instant> arrival = expected.remove(new Item(crossing, title));
    if (arrival != null) {
      arrival.complete(at);
    }
  }
}
