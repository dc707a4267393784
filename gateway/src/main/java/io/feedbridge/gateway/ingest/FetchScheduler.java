package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.ingest.fetch.DocumentMemory;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Journey;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.FetchPermits;
import io.feedbridge.gateway.ingest.hosts.FetchedHost;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.HostGate;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.OriginWindow;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Slots, hosts, order: how many assignments are under way, and when each may fetch from its host.
 * All that an assignment takes is taken by its {@link Slot}, which gives it back when it is closed.
 * Safe for use by several threads; nothing in it blocks but {@link Slot#turn} and {@link
 * #awaitIdle}.
 */
final class FetchScheduler {

  /** Assignments that wait for a host or have a document; no more work is taken beside them. */
  static final int MAX_FETCHES = HostGate.MAX_WAITING + FetchPermits.OPEN;

  private final Work work;
  private final DocumentMemory documents;
  private final int threads;
  private final Origins origins;
  private final HostGate gate;

  /** The number of slots that have taken each resource; guarded by this. */
  private final Map<Taken, Integer> counts = new EnumMap<>(Taken.class);

  private final LedFeeds led;

  /** Polls that wait for the gate, by feed. */
  private final Map<Long, Slot> waitingPolls = new ConcurrentHashMap<>();

  /** The resources that a slot can take. */
  private enum Taken {
    /** A thread that works on the slot, or will. */
    THREAD,
    /** A wait for the host. */
    WAIT,
    /** A document that is fetched or held and not digested. */
    DOCUMENT
  }

  /**
   * A scheduler.
   *
   * @param documents the memory that documents take
   * @param threads assignments on a thread at once
   * @param hostPause between polls of one host
   * @param origins their pauses and paces
   */
  FetchScheduler(
      Work work,
      DocumentMemory documents,
      int threads,
      Duration hostPause,
      Origins origins,
      Timer timer) {
    this.work = work;
    this.documents = documents;
    this.threads = threads;
    this.origins = origins;
    led = new LedFeeds(origins);
    gate = new HostGate(hostPause, origins.pauses(), timer);
  }

  /** The outcome of waiting for a host. */
  sealed interface Turn {

    /** The fetch may be sent; the slot has the pass of its host. */
    record Now() implements Turn {}

    /** A ping of the same feed arrived while its poll waited: one fetch is to serve both. */
    record Overtaken() implements Turn {}

    /** There is no room to wait before this time. */
    record Later(Instant at, String reason) implements Turn {}
  }

  /** The hosts that were fetched from lately, in no order. */
  List<FetchedHost> hosts() {
    return gate.standings();
  }

  /** How many more assignments may be taken now. */
  synchronized int free() {
    return count(Taken.WAIT) + count(Taken.DOCUMENT) < MAX_FETCHES
        ? Math.max(0, threads - count(Taken.THREAD))
        : 0;
  }

  /** A slot for an assignment, which has a thread already. */
  Slot slot(FetchJob job) {
    return new Slot(job);
  }

  private int count(Taken what) {
    return counts.getOrDefault(what, 0);
  }

  /** Pings may have arrived: polls of their feeds that wait for a host wait no more. Blocks. */
  void hurryPinged() {
    List<Position> waiting =
        waitingPolls.values().stream().map(slot -> slot.job.assignment().position()).toList();
    if (!waiting.isEmpty()) {
      work.pingedSince(waiting).forEach(this::hurry);
    }
  }

  private void hurry(long feedId) {
    Slot poll = waitingPolls.remove(feedId);
    if (poll != null) {
      poll.overtake();
    }
  }

  /** Lets no fetch begin any more. */
  void close() {
    gate.close();
  }

  /** Waits at most so long until no assignment is on a thread or has a document. */
  void awaitIdle(Duration atMost) {
    Waits.until(this, () -> count(Taken.THREAD) + count(Taken.DOCUMENT) == 0, atMost);
  }

  /**
   * The resources of one assignment: its share of the counts, the pass of its host, the memory of
   * its document.
   */
  final class Slot implements AutoCloseable {

    private final FetchJob job;
    private final CompletableFuture<Turn> turn = new CompletableFuture<>();

    // All of these are guarded by the scheduler.
    private final Set<Taken> taken = EnumSet.noneOf(Taken.class);
    private DocumentMemory.Held document = documents.hold();
    private HostGate.@Nullable Ticket ticket;
    private HostGate.@Nullable Pass pass;
    private boolean closed;

    private Slot(FetchJob job) {
      this.job = job;
      take(Taken.THREAD);
    }

    FetchJob job() {
      return job;
    }

    /** The memory of its document. */
    DocumentMemory.Held document() {
      synchronized (FetchScheduler.this) {
        return document;
      }
    }

    /** No thread works on it before one of its futures completes. */
    void leaveThread() {
      release(Taken.THREAD);
    }

    /** Completes once a document of so many bytes may be digested, on any thread. */
    CompletableFuture<Void> digestible(int bytes) {
      take(Taken.DOCUMENT);
      CompletableFuture<Void> digestible = new CompletableFuture<>();
      document().whenDigestible(bytes, () -> digestible.complete(null));
      return digestible;
    }

    /**
     * Waits until the host takes the fetch, without a thread. At most once. Blocks on storage.
     *
     * @return completes on any thread; where there is no room to wait, at once
     */
    CompletableFuture<Turn> turn(Origin origin, Haste haste) {
      letGoOfDelivery();
      Optional<SiteGate.Wait> early = led.early(origin, job.feedId(), haste);
      if (early.isPresent()) {
        turn.complete(new Turn.Later(early.get().at(), early.get().reason()));
        return turn;
      }
      take(Taken.WAIT);
      HostGate.Answer answer = gate.ask(origin, haste, granted -> pass(granted, origin, haste));
      if (answer instanceof HostGate.ComeAgain later) {
        release(Taken.WAIT);
        turn.complete(new Turn.Later(later.at(), later.reason()));
      } else if (answer instanceof HostGate.Ticket one && haste == Haste.POLL) {
        waits(one);
      }
      return turn;
    }

    /** The sites to which a fetch leads that is sent now. */
    Journey journey(Origin origin, Haste haste, Instant now) {
      return new Journey(
          origins, origin, site -> origins.sites().pass(site, job.feedId(), haste), now);
    }

    /** The bytes of a delivery that did not do are needed no more; a fetch holds its own. */
    private void letGoOfDelivery() {
      document().letGo();
      synchronized (FetchScheduler.this) {
        document = documents.hold();
      }
      release(Taken.DOCUMENT);
    }

    private void pass(HostGate.Pass granted, Origin origin, Haste haste) {
      waitingPolls.remove(job.feedId(), this);
      boolean wanted;
      synchronized (FetchScheduler.this) {
        wanted = !closed;
        pass = granted;
        release(Taken.WAIT);
        take(Taken.DOCUMENT);
      }
      if (wanted) {
        // Where the site let others pass meanwhile, the slot gives its permit back when it closes.
        Optional<SiteGate.Wait> early = origins.sites().pass(origin, job.feedId(), haste);
        turn.complete(
            early
                .<Turn>map(wait -> new Turn.Later(wait.at(), wait.reason()))
                .orElseGet(Turn.Now::new));
      } else {
        granted.leave(OriginWindow.Ending.OWN);
      }
    }

    /** A poll waits; a ping of the same feed must not wait behind it. */
    private void waits(HostGate.Ticket one) {
      synchronized (FetchScheduler.this) {
        ticket = one;
      }
      waitingPolls.put(job.feedId(), this);
      if (!one.waits()) {
        waitingPolls.remove(job.feedId(), this);
      } else if (!work.pingedSince(List.of(job.assignment().position())).isEmpty()) {
        // It came before the poll was known to wait.
        hurry(job.feedId());
      }
    }

    private void overtake() {
      if (withdraw()) {
        turn.complete(new Turn.Overtaken());
      }
    }

    private boolean withdraw() {
      HostGate.Ticket waiting;
      synchronized (FetchScheduler.this) {
        waiting = ticket;
      }
      return waiting != null && waiting.withdraw();
    }

    /** The fetch is over, and its host may take another one. */
    void leaveHost(OriginWindow.Ending ending) {
      HostGate.Pass over;
      synchronized (FetchScheduler.this) {
        over = pass;
      }
      if (over != null) {
        over.leave(ending);
      }
    }

    /** Learns the pace and the pause of its origin from an answer. Blocks only on storage. */
    void answered(Origin asked, FetchResult result, Instant sentAt) {
      led.answered(job.feedId(), result);
      origins.learn(asked, result, sentAt);
    }

    private void take(Taken what) {
      synchronized (FetchScheduler.this) {
        if (!closed && taken.add(what)) {
          counts.merge(what, 1, Integer::sum);
        }
      }
    }

    private void release(Taken what) {
      synchronized (FetchScheduler.this) {
        if (taken.remove(what)) {
          counts.merge(what, -1, Integer::sum);
          FetchScheduler.this.notifyAll();
        }
      }
    }

    /** Gives back all that it has taken. Twice is once. */
    @Override
    public void close() {
      synchronized (FetchScheduler.this) {
        closed = true;
      }
      waitingPolls.remove(job.feedId(), this);
      withdraw();
      leaveHost(OriginWindow.Ending.OWN);
      document().letGo();
      EnumSet.allOf(Taken.class).forEach(this::release);
    }
  }
}
