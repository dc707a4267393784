package io.feedbridge.gateway.store.deliveries;

import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The subscribers that rounds pass over, each with a cursor of its own. */
public interface Laggards {

  /**
   * Hosts with laggards that miss an event and are not in flight, in the order of their names. The
   * cost grows with the number of returned hosts, not of laggards.
   *
   * @param after the listing begins after this name; empty to begin with the first
   */
  List<Host> hosts(String after, int limit);

  /**
   * A host with laggards.
   *
   * @param name as in {@link Laggard#host}
   * @param nextDueAt when the first laggard of the host may be tried
   */
  record Host(String name, Instant nextDueAt) {}

  /** Laggards of one host that {@link #behindAt} counts. */
  int MOST_COUNTED = 10_000;

  /** How many laggards of one host miss an event and are not in flight, as far as it counts. */
  int behindAt(String host);

  /**
   * The laggards of one host that miss an event and are not in flight, the longest due first.
   * Laggards that are not due yet come last. The cost grows with the number of returned laggards.
   */
  List<Laggard> next(String host, int limit);

  /**
   * Tells the listener after each commit the hosts at which the commit has, or may have, made a
   * laggard due, and when. The listener must return at once.
   */
  void onDue(DueListener listener);

  /** Receives the hosts that have due laggards. */
  interface DueListener {
    /** A laggard at this host may be tried from {@code at} on. */
    void due(String host, Instant at);
  }

  /**
   * Marks laggards in flight, with the document that each is about to be sent (rule L12).
   *
   * @param laggards as {@link #next} read them, each with its document fixed
   * @return the laggards that were still due; only these may be sent to
   */
  CompletableFuture<List<Laggard>> claim(List<Laggard> laggards);

  /**
   * Records the outcome of a delivery; nothing if the subscription has ended meanwhile (rule L7),
   * or has jumped ahead (rule L13). A successful delivery, after which no document is to be
   * repeated, clears the errors of the subscription.
   */
  CompletableFuture<Void> settle(Laggard laggard, Instant now);

  /**
   * Makes a laggard due now despite its back-off, because an operator asked for it. Its failures
   * stay counted, and its document is still repeated (rule L12).
   *
   * @return the new row; empty if nothing changed, because the laggard misses no event, is in
   *     flight (rule L3) or was due already
   */
  CompletableFuture<Optional<Laggard>> retry(long subscriptionId, Instant now);

  /**
   * Sends past events to a subscription once more, each as a notification of its own and in order,
   * and then the events appended meanwhile. The replay begins at once, or as soon as no delivery to
   * the subscription is in flight (rule L2) and it misses no event. The replay is dropped if the
   * subscription jumps to the present first.
   *
   * @param after the replay begins after this event
   * @param upTo the last event of the replay; later events are no part of it
   */
  CompletableFuture<Void> replay(Subscription subscription, long after, long upTo, Instant now);

  /**
   * Moves a laggard past a document that it did not take. This counts as one more error in a row of
   * its subscription, unless the subscription was renewed since it was called.
   *
   * @param laggard the new row, with the cursor at the document's end
   * @param called its subscription as it was called
   * @param allowed the number of errors in a row that ends the subscription
   * @param endAt when it then ends, unless a delivery succeeds or it is renewed before
   */
  CompletableFuture<Void> passOver(
      Laggard laggard, Subscription called, int allowed, Instant endAt, Instant now);

  /**
   * Moves laggards whose oldest missed event was appended at {@code since} or earlier to the
   * present, including laggards in flight. The events that they missed are recorded as a gap, and
   * the rounds serve these subscriptions again as if they had received the events (rules L5, L13).
   * No such laggard is left once the result is shorter than the limit.
   *
   * @return the gaps, first the gap of the laggard that was behind longest
   */
  CompletableFuture<List<Gap>> jump(Instant since, Gap.Reason reason, int limit, Instant now);

  /**
   * Moves a laggard past an event of which no document can be made, and records the gap.
   *
   * @param laggard the new row, with the cursor at the event
   */
  CompletableFuture<Void> skip(Laggard laggard, Gap gap);

  /**
   * Begins digests that are due, each once no other delivery to its subscription is in flight (rule
   * L2). Their next ones are due a period later; after an outage a digest comes once.
   *
   * @return how many hosts have one that is due
   */
  CompletableFuture<Integer> beginDigests(Instant now, Duration period, int limit);

  /** When the next digest is due, or was. */
  Optional<Instant> nextDigest();

  /** When the oldest event was appended that some laggard misses. */
  Optional<Instant> oldestMissed();

  /** The gaps of a subscription that are still on record, the newest first. */
  List<Gap> gaps(long subscriptionId, int limit);

  /**
   * The end of the next document after a cursor: it holds as many events as fit its bounds, at
   * least one. The result is the cursor itself if no event follows it.
   */
  long documentEnd(long feedId, long cursor);

  /** Nothing is in flight any more; for the start, before anything is sent. */
  CompletableFuture<Void> landAll();
}
