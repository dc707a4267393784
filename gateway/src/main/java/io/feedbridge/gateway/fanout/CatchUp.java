package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.Document;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves laggards: whoever is due gets all that it missed since its cursor, in order, as one
 * document. Steps run one at a time; answers come from any thread.
 */
final class CatchUp {

  /** Laggards looked at in one step. */
  static final int BATCH = 200;

  /** Catch-up deliveries in flight at once; leaves the rest of {@link HostWindows} to rounds. */
  static final int MAX_IN_FLIGHT = 1_000;

  /** Bytes of such documents at once, as far as the bounds of a document hold. */
  static final long MAX_BYTES = 64L << 20;

  /** Ranges whose documents are kept: after an outage many subscribers miss the same. */
  private static final int SHARED = 4;

  /** How long to rest while every laggard that is due waits for room at its host. */
  private static final Duration REST = Duration.ofSeconds(1);

  private final Store store;
  private final Documents documents;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Clock clock;
  private final Runnable onRoom;
  private final Map<Range, Optional<Bundle>> shared = new LinkedHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  /** Whether somebody was left out because of the bounds here, not those of its host. */
  private final AtomicBoolean leftOut = new AtomicBoolean();

  /**
   * Wires the part.
   *
   * @param onRoom asks for another step; must return at once
   */
  CatchUp(
      Store store,
      Documents documents,
      Deliveries deliveries,
      HostWindows windows,
      Settlement settlement,
      Clock clock,
      Runnable onRoom) {
    this.store = store;
    this.documents = documents;
    this.deliveries = deliveries;
    this.windows = windows;
    this.settlement = settlement;
    this.clock = clock;
    this.onRoom = onRoom;
  }

  private record Range(long feedId, long after, long upTo) {}

  /** One look for laggards that are due; says when to look again. Blocks. */
  Optional<Instant> step() {
    Instant now = clock.instant();
    List<Laggard> due = store.laggards().due(now, BATCH, windows.full());
    List<Laggard> claimed = claim(enter(due));
    if (!claimed.isEmpty()) {
      Failpoint.LAGGARDS_CLAIMED.reached();
    }
    claimed.forEach(this::send);
    if (!claimed.isEmpty() && due.size() == BATCH) {
      return Optional.of(now);
    }
    if (due.isEmpty()) {
      shared.clear();
    }
    // Whoever is still due waits for room, of which an answer tells.
    return store.laggards().nextDue().map(at -> at.isAfter(now) ? at : now.plus(REST));
  }

  private List<Laggard> enter(List<Laggard> due) {
    // Set before the bounds are looked at: an answer after that is not missed.
    leftOut.set(true);
    long room =
        Math.min(MAX_IN_FLIGHT - inFlight.get(), (MAX_BYTES - bytes.get()) / Document.MAX_BYTES);
    List<Laggard> entered = new ArrayList<>();
    for (Laggard laggard : due) {
      if (entered.size() >= room) {
        return entered;
      }
      if (windows.tryEnter(laggard.host())) {
        entered.add(laggard);
      }
    }
    leftOut.set(false);
    return entered;
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
          .forEach(laggard -> windows.giveBack(laggard.host()));
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

  /** Sends to one that was claimed; from here on only an outcome moves its row. */
  private void send(Laggard laggard) {
    long to = laggard.sentTo() == null ? laggard.cursor() : laggard.sentTo();
    Optional<Subscription> subscription;
    Optional<Call> call;
    try {
      subscription = store.subscriptions().byId(laggard.subscriptionId());
      call = subscription.flatMap(s -> document(s, laggard, to));
    } catch (RuntimeException e) {
      settlement.settle(laggard, to, Deliveries.unmakeable(laggard.subscriptionId(), e));
      windows.leave(laggard.host());
      return;
    }
    if (subscription.isEmpty() || call.isEmpty()) {
      // It has ended, or nothing of what it missed is news to it.
      settlement.settle(laggard, to, Verdict.SERVED);
      windows.leave(laggard.host());
      return;
    }
    int size = call.get().body().length;
    inFlight.incrementAndGet();
    bytes.addAndGet(size);
    var unused =
        deliveries
            .send(subscription.get(), call.get())
            .thenAccept(
                verdict -> {
                  settlement.settle(laggard, to, verdict);
                  inFlight.decrementAndGet();
                  bytes.addAndGet(-size);
                  windows.leave(laggard.host());
                  if (leftOut.getAndSet(false)) {
                    onRoom.run();
                  }
                });
  }

  private Optional<Call> document(Subscription subscription, Laggard laggard, long to) {
    return shared(new Range(laggard.feedId(), laggard.cursor(), to))
        .flatMap(
            bundle ->
                deliveries.prepare(subscription, bundle, laggard.cursor(), laggard.attempts()));
  }

  private Optional<Bundle> shared(Range range) {
    Optional<Bundle> bundle = shared.get(range);
    if (bundle == null) {
      bundle = documents.bundle(range.feedId, range.after, range.upTo);
      if (shared.size() == SHARED) {
        shared.remove(shared.keySet().iterator().next());
      }
      shared.put(range, bundle);
    }
    return bundle;
  }
}
