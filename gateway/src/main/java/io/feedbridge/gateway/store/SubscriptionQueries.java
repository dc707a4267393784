package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions and waiting requests, and how far behind each subscription is, for operators.
 * Deliveries are made from {@link Rounds} and {@link Laggards} instead.
 */
public interface SubscriptionQueries {

  /**
   * The entries that match, in the order of their keys.
   *
   * @param after the listing begins after this key; absent to begin with the first entry
   */
  List<Entry> list(Filter filter, @Nullable Key after, int limit);

  Optional<Entry> find(Key key);

  /**
   * Where the subscriptions of a feed stand with one of its events, in the order of their ids.
   *
   * @param seq the event; the answer is meaningful while the event is in the log
   * @param after the listing begins after this subscription; 0 to begin with the first one
   */
  List<Recipient> recipients(long feedId, long seq, long after, int limit);

  /**
   * Forgets a request that waits for its callback; an existing subscription stays as it is.
   *
   * @return whether it was there
   */
  CompletableFuture<Boolean> withdraw(long verificationId, Instant now);

  /**
   * The name of an entry. Subscriptions come before waiting requests.
   *
   * @param pending whether the entry is a request that waits for its callback to confirm it
   * @param id of the subscription or the verification
   */
  record Key(boolean pending, long id) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::pending).thenComparing(Key::id);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * The conditions that an entry must meet; an absent part matches all entries.
   *
   * @param state a state that the store keeps; no entry is in another
   */
  record Filter(
      @Nullable String topic,
      @Nullable Protocol protocol,
      @Nullable SubscriptionState state,
      @Nullable String callback) {

    /** Matches each entry. */
    public static final Filter ALL = new Filter(null, null, null, null);
  }

  /**
   * A subscription, or a request for a subscription.
   *
   * @param leaseEndsAt absent while it is pending
   * @param createdAt when it began, or was asked for
   * @param behind absent unless it lags
   */
  record Entry(
      Key key,
      Protocol protocol,
      String topic,
      String callback,
      Format format,
      SubscriptionState state,
      @Nullable Instant leaseEndsAt,
      Instant createdAt,
      @Nullable Behind behind) {}

  /**
   * The events that a laggard misses.
   *
   * @param events the number of the feed's events after its cursor
   * @param since when the oldest of them was appended; absent if none of them is in the log any
   *     more
   * @param attempts in a row that failed
   * @param nextAttemptAt absent while a request is under way
   * @param lastError why the last attempt failed
   */
  record Behind(
      long events,
      @Nullable Instant since,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String lastError) {}

  /**
   * A subscription and one event.
   *
   * @param attempts in a row that failed; 0 unless the subscription has the event still before it
   * @param nextAttemptAt absent while nothing is planned or a request is under way
   * @param reason why the last attempt failed, or the name of the reason of a gap
   */
  record Recipient(
      long id,
      Protocol protocol,
      String callback,
      Reach reach,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String reason) {}

  /** Where a subscription stands with an event. */
  enum Reach {
    /** The subscription began after the event, which is not for it (rule L6). */
    TOO_EARLY,
    /** The event lies in a gap: the subscription is not sent it (rule L13). */
    SKIPPED,
    /** The subscription has answered 2xx to the event, or the event held nothing for it. */
    PAST,
    /** A request that holds the event is under way. */
    UNDER_WAY,
    /** The last attempt failed; there will be another. */
    FAILED,
    /** The event follows other events that the subscription misses. */
    BEHIND,
    /** The round of the event is open, and has no recorded outcome for the subscription. */
    IN_ROUND,
    /** The round of the event has not begun. */
    NOT_BEGUN
  }
}
