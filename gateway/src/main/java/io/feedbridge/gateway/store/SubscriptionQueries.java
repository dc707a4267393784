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
}
