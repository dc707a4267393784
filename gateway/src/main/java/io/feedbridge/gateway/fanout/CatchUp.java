package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.Document;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves laggards: whoever is due gets all that it missed since its cursor, in order, as one
 * document. Hosts take turns, and whom to serve there is read only once the host has a place, so
 * that a step costs what it serves whatever else there is. Steps run one at a time; answers come
 * from any thread.
 */
final class CatchUp {

  /** Laggards served in one step. */
  static final int BATCH = 200;

  /** Of those at most so many of one host. */
  static final int TURN = 32;

  /** Bytes of such documents at once, as far as the bounds of a document hold. */
  static final long MAX_BYTES = 64L << 20;

  /** Ranges whose documents are kept: after an outage many subscribers miss the same. */
  private static final int SHARED = 4;

  /** How long to rest after a step that failed, whoever wakes it. */
  private static final Duration REST = Duration.ofSeconds(1);

  private final Store store;
  private final Documents documents;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Clock clock;
  private final Runnable onRoom;
  private final Backlog backlog;
  private final Map<Range, Optional<Bundle>> shared = new LinkedHashMap<>();
  private final AtomicLong bytes = new AtomicLong();

  /** Whether somebody was left out because of the bound on bytes. */
  private final AtomicBoolean leftOut = new AtomicBoolean();

  private Instant restUntil = Instant.MIN;

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
    backlog = new Backlog(clock);
  }

  private record Range(long feedId, long after, long upTo, Documents.Matter matter) {}

  /** One that is to be served, and the place for it. */
  private record Serving(Laggard laggard, HostWindows.Place place) {}

  /**
   * What a look at a host showed.
   *
   * @param more whether somebody else is due there
   * @param next when the first is due who is not yet; empty if there is none
   */
  private record Look(String host, boolean more, Optional<Instant> next) {}

  /** Somebody at this host may be tried from then on. */
  void due(String host, Instant at) {
    backlog.due(host, at);
    onRoom.run();
  }

  /** One look for laggards that are due; says when to look again. Blocks. */
  Optional<Instant> step() {
    Instant now = clock.instant();
    if (now.isBefore(restUntil)) {
      return Optional.of(restUntil);
    }
    Optional<String> unknown = backlog.toLookThrough();
    unknown.ifPresent(after -> backlog.found(store.laggards().hosts(after, Backlog.PAGE)));
    List<Look> looks = new ArrayList<>();
    List<Serving> entered = new ArrayList<>();
    try {
      // Set before the bound is looked at: an answer after that is not missed.
      leftOut.set(true);
      long room = (MAX_BYTES - bytes.get()) / Document.MAX_BYTES;
      boolean allHadTheirTurn = takeTurns((int) Math.min(room, BATCH), looks, entered);
      if (allHadTheirTurn || room >= BATCH) {
        leftOut.set(false);
      }
      claimAndSend(entered);
    } catch (RuntimeException e) {
      restUntil = now.plus(REST);
      looks.forEach(look -> backlog.again(look.host));
      throw e;
    }
    looks.forEach(this::lookedAt);
    if (entered.isEmpty()) {
      shared.clear();
    }
    // Whoever was left out is served when an answer makes room.
    return leftOut.get() && unknown.isEmpty() ? Optional.empty() : backlog.nextAt();
  }

  /** Whether everybody had a turn before the batch was full. */
  private boolean takeTurns(int most, List<Look> looks, List<Serving> entered) {
    while (entered.size() < most) {
      Optional<Backlog.Turn> turn = backlog.next();
      if (turn.isEmpty()) {
        return true;
      }
      String host = turn.get().host();
      Optional<HostWindows.Place> place = turn.get().place().or(() -> windows.tryEnter(host));
      if (place.isPresent()) {
        look(host, place.get(), most - entered.size(), looks, entered);
      } else {
        backlog.waits(host);
        windows.enterNext(host, granted -> granted(host, granted));
      }
    }
    return false;
  }

  private void granted(String host, HostWindows.Place place) {
    if (backlog.granted(host, place)) {
      onRoom.run();
    } else {
      place.leave();
    }
  }

  /** Reads who is due at a host that has at least one place, and takes a place for each. */
  private void look(
      String host, HostWindows.Place place, int most, List<Look> looks, List<Serving> entered) {
    int places = Math.min(1 + windows.room(host), Math.min(TURN, most));
    List<Laggard> next;
    try {
      // One more than there are places for, to know when to come back.
      next = store.laggards().next(host, places + 1);
    } catch (RuntimeException e) {
      place.leave();
      looks.add(new Look(host, true, Optional.empty()));
      throw e;
    }
    Instant now = clock.instant();
    int served = 0;
    Optional<HostWindows.Place> free = Optional.of(place);
    while (served < Math.min(places, next.size())
        && !next.get(served).nextAttemptAt().isAfter(now)
        && free.isPresent()) {
      entered.add(new Serving(next.get(served), free.get()));
      served++;
      free = served < places ? windows.tryEnter(host) : Optional.empty();
    }
    free.ifPresent(HostWindows.Place::leave);
    Optional<Instant> rest =
        served < next.size() ? Optional.of(next.get(served).nextAttemptAt()) : Optional.empty();
    looks.add(new Look(host, rest.filter(at -> !at.isAfter(now)).isPresent(), rest));
  }

  private void lookedAt(Look look) {
    if (look.more) {
      backlog.again(look.host);
    } else {
      backlog.lookedAt(look.host, look.next);
    }
  }

  /** Sends to those that may be sent to; the others give back their places, and all if it fails. */
  private void claimAndSend(List<Serving> entered) {
    Map<Long, HostWindows.Place> places = new HashMap<>();
    entered.forEach(serving -> places.put(serving.laggard.subscriptionId(), serving.place));
    Ranges ranges = new Ranges(store);
    try {
      for (Laggard laggard : claim(entered, ranges)) {
        HostWindows.Place place = places.remove(laggard.subscriptionId());
        if (place != null) {
          send(laggard, ranges, place);
        }
      }
    } finally {
      places.values().forEach(HostWindows.Place::leave);
    }
  }

  /** Those who miss the same come one after the other, so that they share a document. */
  private List<Laggard> claim(List<Serving> entered, Ranges ranges) {
    if (entered.isEmpty()) {
      return List.of();
    }
    List<Laggard> asked = ranges.fix(entered.stream().map(Serving::laggard).toList());
    List<Laggard> claimed = store.laggards().claim(asked).join();
    Failpoint.LAGGARDS_CLAIMED.reached();
    return claimed.stream()
        .sorted(
            Comparator.comparingLong(Laggard::feedId)
                .thenComparingLong(Laggard::cursor)
                .thenComparingLong(CatchUp::documentEnd))
        .toList();
  }

  private static long documentEnd(Laggard laggard) {
    return laggard.sentTo() == null ? laggard.cursor() : laggard.sentTo();
  }

  /** Nobody is served any more; who has a place and was not sent to gives it back. */
  void close() {
    backlog.close().forEach(HostWindows.Place::leave);
  }

  /** Sends to one that was claimed; from here on only an outcome moves its row. */
  private void send(Laggard laggard, Ranges ranges, HostWindows.Place place) {
    long claimed = documentEnd(laggard);
    Optional<Recipient> recipient;
    long to;
    try {
      recipient = store.subscriptions().byId(laggard.subscriptionId()).map(Recipient::new);
      to = recipient.map(one -> ranges.end(laggard, one.subscription)).orElse(claimed);
    } catch (RuntimeException e) {
      settlement.putOff(laggard, claimed, "the store could not be read: " + e.getMessage());
      place.leave();
      return;
    }
    int number = laggard.attempts() + 1;
    Optional<Call> call;
    try {
      call = recipient.flatMap(one -> document(one, ranges, laggard, to));
    } catch (RuntimeException e) {
      settlement.settle(
          laggard,
          to,
          deliveries.unmakeable(
              recipient.orElseThrow().subscription, Attempt.Kind.CATCH_UP, to, number, e));
      place.leave();
      return;
    }
    if (recipient.isEmpty() || call.isEmpty()) {
      // It has ended, or nothing of what it missed is news to it.
      settlement.settle(laggard, to, Verdict.SERVED);
      place.leave();
      return;
    }
    int size = call.get().body().length;
    bytes.addAndGet(size);
    var unused =
        deliveries
            .send(recipient.get(), call.get(), place, Attempt.Kind.CATCH_UP, to, number)
            .thenAccept(
                verdict -> {
                  settlement.settle(laggard, to, verdict);
                  if (verdict instanceof Verdict.Served served) {
                    settlement.count(recipient.get().subscription, served);
                  }
                  bytes.addAndGet(-size);
                  place.leave();
                  if (leftOut.getAndSet(false)) {
                    onRoom.run();
                  }
                });
  }

  private Optional<Call> document(Recipient recipient, Ranges ranges, Laggard laggard, long to) {
    Documents.Matter matter = ranges.matter(recipient.subscription);
    return shared(new Range(laggard.feedId(), laggard.cursor(), to, matter))
        .flatMap(
            bundle -> deliveries.prepare(recipient, bundle, laggard.cursor(), laggard.attempts()));
  }

  private Optional<Bundle> shared(Range range) {
    Optional<Bundle> bundle = shared.get(range);
    if (bundle == null) {
      bundle = documents.bundle(range.feedId, range.after, range.upTo, range.matter);
      if (shared.size() == SHARED) {
        shared.remove(shared.keySet().iterator().next());
      }
      shared.put(range, bundle);
    }
    return bundle;
  }
}
