package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Serves laggards: whoever is due gets all that it missed since its cursor, in order, as one
 * document.
 */
final class CatchUp {

  /** Laggards looked at in one step. */
  static final int BATCH = 200;

  /**
   * Catch-up deliveries in flight at once; leaves the rest of the client's connections to rounds.
   */
  static final int MAX_IN_FLIGHT = 1_000;

  /** How long to rest while every laggard that is due waits for room at its host. */
  private static final Duration REST = Duration.ofSeconds(1);

  private final Store store;
  private final Documents documents;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Clock clock;

  CatchUp(
      Store store,
      Documents documents,
      Deliveries deliveries,
      HostWindows windows,
      Settlement settlement,
      Clock clock) {
    this.store = store;
    this.documents = documents;
    this.deliveries = deliveries;
    this.windows = windows;
    this.settlement = settlement;
    this.clock = clock;
  }

  /** One look for laggards that are due; says when to look again. Blocks. */
  Optional<Instant> step() {
    Instant now = clock.instant();
    List<Laggard> due = store.laggards().due(now, BATCH, windows.full());
    List<Laggard> claimed = claim(due.stream().filter(this::enter).toList());
    claimed.forEach(this::send);
    if (!claimed.isEmpty() && due.size() == BATCH) {
      return Optional.of(now);
    }
    // Whoever is still due waits for room, of which an answer tells.
    return store.laggards().nextDue().map(at -> at.isAfter(now) ? at : now.plus(REST));
  }

  private boolean enter(Laggard laggard) {
    return windows.inFlight() < MAX_IN_FLIGHT && windows.tryEnter(laggard.host());
  }

  /** Those that may be sent to; the others give back their places, and all do if this fails. */
  private List<Laggard> claim(List<Laggard> entered) {
    Set<Laggard> claimed = new LinkedHashSet<>();
    List<Laggard> asked = entered;
    try {
      asked = entered.stream().map(this::withRange).toList();
      claimed.addAll(store.laggards().claim(asked).join());
    } finally {
      asked.stream()
          .filter(laggard -> !claimed.contains(laggard))
          .forEach(laggard -> windows.leave(laggard.host()));
    }
    return List.copyOf(claimed);
  }

  /** A retry repeats its document; a new document takes what fits (rule L12). */
  private Laggard withRange(Laggard laggard) {
    return laggard.sentTo() != null
        ? laggard
        : new Laggard(
            laggard.subscriptionId(),
            laggard.feedId(),
            laggard.host(),
            laggard.cursor(),
            store.laggards().documentEnd(laggard.feedId(), laggard.cursor()),
            laggard.attempts(),
            laggard.nextAttemptAt(),
            laggard.inFlight(),
            laggard.error());
  }

  private void send(Laggard laggard) {
    long to = laggard.sentTo() == null ? laggard.cursor() : laggard.sentTo();
    Optional<Subscription> subscription;
    Optional<Call> call;
    try {
      subscription = store.subscriptions().byId(laggard.subscriptionId());
      call = subscription.flatMap(s -> document(s, laggard, to));
    } catch (RuntimeException e) {
      windows.leave(laggard.host());
      settlement.settle(laggard, to, Deliveries.unmakeable(laggard.subscriptionId(), e));
      return;
    }
    if (subscription.isEmpty() || call.isEmpty()) {
      // It has ended, or nothing of what it missed is news to it.
      windows.leave(laggard.host());
      settlement.settle(laggard, to, Verdict.SERVED);
      return;
    }
    var unused =
        deliveries
            .send(subscription.get(), call.get())
            .thenAccept(
                verdict -> {
                  windows.leave(laggard.host());
                  settlement.settle(laggard, to, verdict);
                });
  }

  private Optional<Call> document(Subscription subscription, Laggard laggard, long to) {
    return documents
        .bundle(laggard.feedId(), laggard.cursor(), to)
        .flatMap(
            bundle ->
                deliveries.prepare(subscription, bundle, laggard.cursor(), laggard.attempts()));
  }
}
