package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The subscribers that rounds pass over, each with a cursor of its own. */
public interface Laggards {

  /**
   * Hosts with laggards that miss something and are not in flight, in the order of their names.
   * Costs what it returns, however many laggards they have.
   *
   * @param after the name behind which to begin; the empty one for all
   */
  List<Host> hosts(String after, int limit);

  /**
   * A host with laggards.
   *
   * @param name as in {@link Laggard#host}
   * @param nextDueAt when the first of them may be tried
   */
  record Host(String name, Instant nextDueAt) {}

  /**
   * Those of one host that miss something and are not in flight, the longest due first and with
   * those at the end that are not due yet. Costs what it returns.
   */
  List<Laggard> next(String host, int limit);

  /**
   * Tells the listener after each commit at which hosts it has, or may have, made somebody due, and
   * when; it must return at once.
   */
  void onDue(DueListener listener);

  /** Is told at which host there is something to do. */
  interface DueListener {
    /** Somebody at this host may be tried from then on. */
    void due(String host, Instant at);
  }

  /**
   * Marks laggards in flight, with the document that each is about to be sent (rule L12).
   *
   * @param laggards as {@link #next} read them, but for {@link Laggard#sentTo}
   * @return those that were still due; only these may be sent to
   */
  CompletableFuture<List<Laggard>> claim(List<Laggard> laggards);

  /**
   * Records what came of a delivery; nothing if the subscription has ended meanwhile (rule L7), or
   * has jumped ahead (rule L13). One that was taken, so that nothing is to be repeated, clears the
   * subscription's errors.
   */
  CompletableFuture<Void> settle(Laggard laggard, Instant now);

  /**
   * Makes one due now whatever its back-off says, because somebody asked for it by hand. Its
   * failures stay counted, and so does the document that is to be repeated (rule L12).
   *
   * @return its row as it is now; empty if nothing changed, since it misses nothing, is in flight
   *     (rule L3) or was due anyway
   */
  CompletableFuture<Optional<Laggard>> retry(long subscriptionId, Instant now);

  /**
   * Has a subscription sent past events once more, each as a notification of its own and in order,
   * then what has come meanwhile. It begins at once, or as soon as nothing is in flight to it (rule
   * L2) and it misses nothing. It is dropped if the subscription jumps to the present before.
   *
   * @param after where to begin
   * @param upTo the newest of them; what comes after is no replay
   */
  CompletableFuture<Void> replay(Subscription subscription, long after, long upTo, Instant now);

  /**
   * Moves a laggard past a document that it did not take, which is one more error in a row of its
   * subscription.
   *
   * @param laggard as it is to be, with the cursor at the document's end
   * @param allowed with so many errors the subscription is to end
   * @param endAt when it then ends, unless a delivery succeeds or it is renewed before
   */
  CompletableFuture<Void> passOver(Laggard laggard, int allowed, Instant endAt, Instant now);

  /**
   * Has laggards whose oldest missed event was appended then or earlier jump to the present, those
   * in flight too: what they missed is on record as a gap, and they rejoin the rounds as if they
   * had got it (rules L5, L13). Repeated until it returns fewer than the limit, it leaves none.
   *
   * @return the gaps, those of the longest behind first
   */
  CompletableFuture<List<Gap>> jump(Instant since, Gap.Reason reason, int limit, Instant now);

  /** When the oldest event was appended that some laggard misses. */
  Optional<Instant> oldestMissed();

  /** The gaps of a subscription that are still on record, the newest first. */
  List<Gap> gaps(long subscriptionId, int limit);

  /**
   * Where the document ends that the events after a cursor begin: as many as fit its bounds, at
   * least one; the cursor itself if there are none.
   */
  long documentEnd(long feedId, long cursor);

  /** Nothing is in flight any more; for the start, before anything is sent. */
  CompletableFuture<Void> landAll();
}
