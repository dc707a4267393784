package io.feedbridge.gateway.delivery.laggards;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.send.Bundle;
import io.feedbridge.gateway.delivery.send.DeliveryResult;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import io.feedbridge.gateway.delivery.send.Next;
import io.feedbridge.gateway.delivery.send.Recipient;
import io.feedbridge.gateway.delivery.send.Sender;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Serves laggards: a laggard that is due gets all events that it missed since its cursor, in order,
 * as one document. Hosts take turns, and the laggards of a host are read only once the host has a
 * place, so that the cost of a step depends only on the laggards that it serves. Steps run one at a
 * time; answers come from any thread.
 */
public final class CatchUp {

  /** Laggards served in one step. */
  static final int BATCH = 200;

  /** Laggards of one host served in one step. */
  static final int TURN = 32;

  /** Bytes of documents under way at once; one that is sent to several laggards counts once. */
  public static final long MAX_BYTES = 64L << 20;

  /** Of {@link #MAX_BYTES}: bytes under way to hosts that have not answered, or not at last. */
  static final long MAX_UNPROVEN_BYTES = MAX_BYTES / 2;

  /** Tries of a document of one event that cannot be made. */
  public static final int MAX_UNMAKEABLE = 3;

  /** When to look again at a host whose silent callbacks have all places that they may have. */
  private static final Duration PAUSE_OF_SILENT = Duration.ofSeconds(1);

  /** How long to rest after a step that failed; an earlier wake-up has no effect. */
  private static final Duration REST = Duration.ofSeconds(1);

  private final Store store;
  private final Sender sender;
  private final HostBulkheads windows;
  private final Settlement settlement;
  private final Clock clock;
  private final Runnable onRoom;
  private final Backlog backlog;
  private final SharedDocuments documents;
  private final DocumentBytes bytes = new DocumentBytes(MAX_BYTES, MAX_UNPROVEN_BYTES);

  /** Hosts that wait for room in the part for unproven hosts; only steps touch it. */
  private final Set<String> parked = new HashSet<>();

  /** Whether a laggard was left out because of the bound on bytes. */
  private final AtomicBoolean leftOut = new AtomicBoolean();

  private Instant restUntil = Instant.MIN;

  /**
   * Wires the part.
   *
   * @param onRoom asks for another step; must return at once
   */
  public CatchUp(
      Store store,
      EventDocuments documents,
      Sender sender,
      HostBulkheads windows,
      Settlement settlement,
      Clock clock,
      Runnable onRoom) {
    this.store = store;
    this.documents = new SharedDocuments(documents);
    this.sender = sender;
    this.windows = windows;
    this.settlement = settlement;
    this.clock = clock;
    this.onRoom = onRoom;
    backlog = new Backlog(clock);
  }

  /** A laggard that is to be served, and the permit for it. */
  private record Serving(Laggard laggard, HostBulkheads.Permit permit) {}

  /**
   * The result of a look at a host.
   *
   * @param more whether another laggard is due there
   * @param next when the first laggard is due that is not due yet; empty if there is none
   */
  private record Look(String host, boolean more, Optional<Instant> next) {}

  /** A laggard at this host may be tried from then on. */
  public void due(String host, Instant at) {
    backlog.due(host, at);
    onRoom.run();
  }

  /** One look for laggards that are due; says when to look again. Blocks. */
  public Optional<Instant> step() {
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
      unpark();
      long room = Math.max(0, bytes.room(true)) / Document.MAX_BYTES;
      boolean allHadTheirTurn = takeTurns((int) Math.min(room, BATCH), looks, entered);
      if (parked.isEmpty() && (allHadTheirTurn || room >= BATCH)) {
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
      documents.clear();
    }
    // A laggard that was left out is served when an answer makes room.
    boolean isFull = bytes.room(true) < Document.MAX_BYTES;
    return leftOut.get() && isFull && unknown.isEmpty() ? Optional.empty() : backlog.nextAt();
  }

  /** Hosts that wait for room have their turns again where there is some. */
  private void unpark() {
    if (!parked.isEmpty() && hasRoom(false)) {
      parked.forEach(backlog::again);
      parked.clear();
    }
  }

  private boolean hasRoom(boolean proven) {
    return bytes.room(proven) >= Document.MAX_BYTES;
  }

  /** Whether every host had its turn before the batch was full. */
  private boolean takeTurns(int most, List<Look> looks, List<Serving> entered) {
    while (entered.size() < most) {
      Optional<Backlog.DueHost> turn = backlog.next();
      if (turn.isEmpty()) {
        return true;
      }
      String host = turn.get().host();
      if (!hasRoom(windows.isAnswering(host))) {
        turn.get().permit().ifPresent(HostBulkheads.Permit::leave);
        backlog.waits(host);
        parked.add(host);
        continue;
      }
      Optional<HostBulkheads.Permit> permit = turn.get().permit().or(() -> windows.tryEnter(host));
      if (permit.isPresent()) {
        look(host, permit.get(), most - entered.size(), looks, entered);
      } else {
        backlog.waits(host);
        windows.enterNext(host, granted -> granted(host, granted));
      }
    }
    return false;
  }

  private void granted(String host, HostBulkheads.Permit permit) {
    if (backlog.granted(host, permit)) {
      onRoom.run();
    } else {
      permit.leave();
    }
  }

  /** Reads the laggards due at a host that has at least one place, and takes a permit for each. */
  private void look(
      String host, HostBulkheads.Permit permit, int most, List<Look> looks, List<Serving> entered) {
    int permits = Math.min(1 + windows.room(host), Math.min(TURN, most));
    LaggardsOfHost next;
    try {
      // One more than there are permits for, to know when to come back.
      next = LaggardsOfHost.read(store, windows, host, permits + 1);
    } catch (RuntimeException e) {
      permit.leave();
      looks.add(new Look(host, true, Optional.empty()));
      throw e;
    }
    Instant now = clock.instant();
    int served = 0;
    boolean more = false;
    Optional<Instant> later = Optional.empty();
    Optional<HostBulkheads.Permit> free = Optional.of(permit);
    for (Laggard laggard : next.inOrder()) {
      boolean due = !laggard.nextAttemptAt().isAfter(now);
      if (due && free.isEmpty()) {
        more = true;
      } else if (due && next.mayServe(laggard, free.get())) {
        entered.add(new Serving(laggard, free.get()));
        served++;
        free = served < permits ? windows.tryEnter(host) : Optional.empty();
      } else {
        Instant at = due ? now.plus(PAUSE_OF_SILENT) : laggard.nextAttemptAt();
        later = Optional.of(later.filter(at::isAfter).orElse(at));
      }
    }
    free.ifPresent(HostBulkheads.Permit::leave);
    looks.add(new Look(host, more, later));
  }

  private void lookedAt(Look look) {
    if (look.more) {
      backlog.again(look.host);
    } else {
      backlog.lookedAt(look.host, look.next);
    }
  }

  /**
   * Sends to the laggards that could be claimed; the others, or all on a failure, leave their
   * permits.
   */
  private void claimAndSend(List<Serving> entered) {
    Map<Long, HostBulkheads.Permit> permits = new HashMap<>();
    entered.forEach(serving -> permits.put(serving.laggard.subscriptionId(), serving.permit));
    Ranges ranges = new Ranges(store);
    try {
      for (Laggard laggard : claim(entered, ranges)) {
        HostBulkheads.Permit permit = permits.remove(laggard.subscriptionId());
        if (permit != null) {
          send(laggard, ranges, permit);
        }
      }
    } finally {
      permits.values().forEach(HostBulkheads.Permit::leave);
    }
  }

  /**
   * Claims laggards. Laggards that miss the same events stand together, so that they share a
   * document.
   */
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
                .thenComparingLong(Laggard::documentEnd))
        .toList();
  }

  /** Ends all turns; a laggard that has a permit and was not sent to gives it back. */
  public void close() {
    backlog.close().forEach(HostBulkheads.Permit::leave);
  }

  /** Sends to a laggard that was claimed; from here on only an outcome moves its row. */
  private void send(Laggard laggard, Ranges ranges, HostBulkheads.Permit permit) {
    long claimed = laggard.documentEnd();
    Optional<Recipient> recipient;
    long to;
    try {
      recipient = store.subscriptions().byId(laggard.subscriptionId()).map(Recipient::new);
      to = recipient.map(one -> ranges.end(laggard, one.subscription)).orElse(claimed);
    } catch (RuntimeException | Error e) {
      settlement.putOff(laggard, claimed, "the store could not be read: " + e.getMessage());
      permit.leave();
      return;
    }
    int number = laggard.attempts() + 1;
    boolean digest = laggard.digestAt() != null;
    Attempt.Kind kind = digest ? Attempt.Kind.DIGEST : Attempt.Kind.CATCH_UP;
    // A digest is the delivery of no event.
    long event = digest ? 0 : to;
    Optional<Call> call;
    try {
      call = recipient.flatMap(one -> document(one, ranges, laggard, to));
    } catch (RuntimeException | Error e) {
      unmakeable(
          recipient.orElseThrow().subscription,
          laggard,
          to,
          sender.unmakeable(recipient.orElseThrow().subscription, kind, event, number, e));
      permit.leave();
      return;
    }
    if (recipient.isEmpty() || call.isEmpty()) {
      // The subscription has ended, or none of the missed events is news to it.
      settlement.served(laggard, to);
      permit.leave();
      return;
    }
    byte[] body = call.get().body();
    boolean proven = windows.isAnswering(laggard.host());
    if (!bytes.take(body, proven)) {
      settlement.putOff(laggard, claimed, "there is no room for a document of this size now");
      permit.leave();
      return;
    }
    var unused =
        sender
            .send(recipient.get(), call.get(), permit, kind, event, number)
            .thenAccept(
                result -> {
                  settlement.settle(recipient.get().subscription, laggard, to, result);
                  if (result instanceof DeliveryResult.Served served) {
                    settlement.count(recipient.get().subscription, served);
                  }
                  bytes.giveBack(body, proven);
                  permit.leave();
                  if (leftOut.getAndSet(false)) {
                    onRoom.run();
                  }
                });
  }

  /**
   * A document that cannot be made is tried again as its first event alone, so that no other one is
   * held up; an event that cannot be made after {@link #MAX_UNMAKEABLE} tries is skipped, with the
   * gap on record. A damaged event never stops its feed.
   */
  private void unmakeable(
      Subscription called, Laggard laggard, long to, DeliveryResult.Failed failed) {
    OptionalLong first;
    try {
      first = store.feeds().nextEvent(laggard.feedId(), laggard.cursor());
    } catch (RuntimeException unreadable) {
      settlement.putOff(laggard, to, "the store could not be read: " + unreadable.getMessage());
      return;
    }
    // A digest has no events of its own that could be skipped.
    boolean retried = failed.next() instanceof Next.Retry && laggard.digestAt() == null;
    if (retried && first.isPresent() && first.getAsLong() < to) {
      settlement.narrow(laggard, first.getAsLong(), failed);
    } else if (retried && first.isPresent() && laggard.attempts() + 1 >= MAX_UNMAKEABLE) {
      settlement.skip(laggard, first.getAsLong(), failed);
    } else {
      settlement.settle(called, laggard, to, failed);
    }
  }

  private Optional<Call> document(Recipient recipient, Ranges ranges, Laggard laggard, long to) {
    Instant digestAt = laggard.digestAt();
    Optional<Bundle> bundle =
        digestAt == null
            ? documents.of(
                laggard.feedId(), laggard.cursor(), to, ranges.matter(recipient.subscription))
            : documents.digest(laggard.feedId(), digestAt);
    return bundle.flatMap(
        one -> sender.prepare(recipient, one, laggard.cursor(), laggard.attempts()));
  }
}
