package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.store.subscriptions.Verification;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The outcomes of requests, for callers that wait for them: subscribers of PuSH 0.3 that want to be
 * verified before they are answered ({@code hub.verify=sync}). Safe for use by several threads.
 */
public final class Outcomes {

  /** Callers that wait at once; each holds a connection. */
  static final int MAX_WAITING = 1_000;

  /** By topic and callback: the request has no id yet when its outcome is first asked for. */
  private final Map<Key, Set<Waiter>> waiting = new HashMap<>();

  private int count;

  private volatile Consumer<String> onConfirmed = callback -> {};

  private record Key(String topic, String callback) {}

  /** A caller that waits; told apart by identity. */
  final class Waiter implements AutoCloseable {
    private final Key key;
    private final Map<Long, Optional<String>> early = new HashMap<>();
    private final CompletableFuture<Optional<String>> outcome = new CompletableFuture<>();
    private long id;

    private Waiter(Key key) {
      this.key = key;
    }

    /** Why the request with this id was refused; empty if it was confirmed. */
    CompletableFuture<Optional<String>> of(long request) {
      synchronized (Outcomes.this) {
        id = request;
        Optional<String> known = early.get(request);
        if (known != null) {
          outcome.complete(known);
        }
      }
      return outcome;
    }

    @Override
    public void close() {
      leave(this);
    }
  }

  /**
   * Begins to wait for the outcome of the request that the caller makes next.
   *
   * @throws RejectedExecutionException if too many callers wait already
   */
  synchronized Waiter expect(String topic, String callback) {
    if (count >= MAX_WAITING) {
      throw new RejectedExecutionException("too many callers wait to be verified");
    }
    count++;
    Waiter waiter = new Waiter(new Key(topic, callback));
    waiting.computeIfAbsent(waiter.key, key -> new HashSet<>()).add(waiter);
    return waiter;
  }

  private synchronized void leave(Waiter waiter) {
    Set<Waiter> others = waiting.get(waiter.key);
    if (others != null && others.remove(waiter)) {
      count--;
      if (others.isEmpty()) {
        waiting.remove(waiter.key);
      }
    }
  }

  /**
   * Sets a listener that is called with each callback that confirmed a request; it must return at
   * once.
   */
  public void onConfirmed(Consumer<String> listener) {
    onConfirmed = listener;
  }

  /** Whether a caller waits for the outcome, and so cannot wait for another try. */
  synchronized boolean isAwaited(Verification verification) {
    return waitersFor(verification).stream()
        .anyMatch(waiter -> waiter.id == 0 || waiter.id == verification.id());
  }

  /**
   * A request has come to an end, and that is durable.
   *
   * @param refusal why the request failed; empty if it was confirmed
   */
  void ended(Verification verification, Optional<String> refusal) {
    if (refusal.isEmpty()) {
      onConfirmed.accept(verification.callback());
    }
    List<Waiter> told = new ArrayList<>();
    synchronized (this) {
      for (Waiter waiter : waitersFor(verification)) {
        if (waiter.id == 0) {
          waiter.early.put(verification.id(), refusal);
        } else if (waiter.id == verification.id()) {
          told.add(waiter);
        }
      }
    }
    // A waiter whose outcome is complete leaves at once.
    told.forEach(waiter -> waiter.outcome.complete(refusal));
  }

  private Set<Waiter> waitersFor(Verification verification) {
    return waiting.getOrDefault(new Key(verification.topic(), verification.callback()), Set.of());
  }

  /** The number of callers that wait. */
  synchronized int waiting() {
    return count;
  }
}
