package io.feedbridge.gateway.store.upstream;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The trust in an upstream subscription: entries that a poll finds first are misses of its hub or
 * cloud.
 *
 * @param demotions how often it was demoted since it last proved itself
 * @param liveSince since when pushes may arrive through it; absent while it is not live
 * @param arrivals of the last entries, the newest last: {@value #PUSHED} for an entry that a push
 *     brought first, {@value #MISSED} for an entry that a poll found
 * @param atFault whether the endpoint failed, as opposed to a plain refusal
 * @param unsigned deliveries without a signature, where a signature was agreed
 * @param signs whether a delivery was signed as agreed
 * @param early entries that a poll found moments after they were published, and that may yet turn
 *     out to be on their way
 * @param earlyAt when the newest early entries were found; absent without early entries
 */
public record Trust(
    int demotions,
    @Nullable Instant liveSince,
    String arrivals,
    boolean atFault,
    int unsigned,
    boolean signs,
    int early,
    @Nullable Instant earlyAt) {

  /** The trust in an upstream subscription without any deliveries. */
  public static final Trust NEW = new Trust(0, null, "", false, 0, false, 0, null);

  /** How long a hub or cloud may take, from the publication of an entry to its push. */
  public static final Duration PUSH_TIME = Duration.ofMinutes(5);

  static final char PUSHED = 'p';
  static final char MISSED = 'm';

  /** The number of latest entries that count. */
  private static final int WINDOW = 10;

  /** Misses in a row that are too many. */
  private static final int IN_A_ROW = 2;

  private static final int IN_ALL = 3;

  /** Pushes in a row that prove it: an endpoint that loses one push of five rarely reaches them. */
  static final int PROOF = WINDOW;

  /** Deliveries without a signature after which none is expected any more. */
  public static final int UNSIGNED = 3;

  private static final Duration FIRST_PAUSE = Duration.ofHours(6);
  private static final Duration LONGEST_PAUSE = Duration.ofDays(7);
  private static final int MAX_DOUBLINGS = 5;

  public Trust {
    // A store of an earlier version says nothing of it.
    arrivals = arrivals == null ? "" : arrivals;
  }

  /**
   * The pause before a demoted upstream subscription is tried again; each demotion doubles it, up
   * to a week.
   */
  public static Duration pause(int demotions) {
    Duration pause =
        FIRST_PAUSE.multipliedBy(1L << Math.max(0, Math.min(demotions - 1, MAX_DOUBLINGS)));
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }

  /** The same trust after a push that brought new entries. */
  public Trust pushed(int entries, Instant now) {
    Trust settled = awaits(now) ? withoutEarly() : settled(now);
    return settled.with(entries, PUSHED);
  }

  /**
   * The same trust after a poll that found new entries.
   *
   * @param late entries that the endpoint had time to push
   * @param fresh entries published too recently for that; they count as missed unless any push
   *     comes within {@link #PUSH_TIME}
   */
  public Trust polled(int late, int fresh, Instant now) {
    Trust trust = settled(now).with(late, MISSED);
    return fresh == 0
        ? trust
        : new Trust(
            trust.demotions,
            liveSince,
            trust.arrivals,
            atFault,
            unsigned,
            signs,
            Math.min(trust.early + fresh, WINDOW),
            now);
  }

  /** Whether a push that comes now shows that entries were found early, and not missed. */
  public boolean awaits(Instant now) {
    return earlyAt != null && now.isBefore(earlyAt.plus(PUSH_TIME));
  }

  private Trust settled(Instant now) {
    return early == 0 || awaits(now) ? this : withoutEarly().with(early, MISSED);
  }

  private Trust withoutEarly() {
    return new Trust(demotions, liveSince, arrivals, atFault, unsigned, signs, 0, null);
  }

  private Trust with(int entries, char how) {
    String all = arrivals + String.valueOf(how).repeat(Math.min(entries, WINDOW));
    String last = all.substring(Math.max(0, all.length() - WINDOW));
    boolean proven = last.endsWith(String.valueOf(PUSHED).repeat(PROOF));
    return new Trust(
        proven ? 0 : demotions, liveSince, last, atFault, unsigned, signs, early, earlyAt);
  }

  /** Whether it missed too much: two entries in a row, or three of the last ten. */
  public boolean misses() {
    return arrivals.endsWith(String.valueOf(MISSED).repeat(IN_A_ROW))
        || arrivals.chars().filter(one -> one == MISSED).count() >= IN_ALL;
  }

  /** Whether the newest entry that counts was found by a poll. */
  public boolean missedTheLast() {
    return arrivals.endsWith(String.valueOf(MISSED));
  }

  /** The same trust after one more delivery without a signature. */
  public Trust unsignedAgain() {
    return new Trust(demotions, liveSince, arrivals, atFault, unsigned + 1, signs, early, earlyAt);
  }

  /** The same trust after a signed delivery. */
  public Trust signing() {
    return new Trust(demotions, liveSince, arrivals, atFault, 0, true, early, earlyAt);
  }

  /**
   * Whether the hub seems to sign nothing: it never signed, and sent {@link #UNSIGNED} deliveries
   * without a signature.
   */
  public boolean neverSigns() {
    return !signs && unsigned >= UNSIGNED;
  }

  /** The same trust while pushes may arrive. */
  public Trust live(Instant now) {
    return new Trust(
        demotions,
        liveSince == null ? now : liveSince,
        arrivals,
        false,
        unsigned,
        signs,
        early,
        earlyAt);
  }

  /** The same trust after one more demotion; earlier arrivals no longer count. */
  public Trust demoted(boolean endpointAtFault) {
    return new Trust(demotions + 1, null, "", endpointAtFault, 0, signs, 0, null);
  }
}
