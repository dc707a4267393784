package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Who is subscribed or waits to be, and how far behind each is: for operators to look at. Rounds
 * and laggards are served through {@link Rounds} and {@link Laggards}.
 */
public interface Roster {

  /**
   * The entries that match, in the order of their keys.
   *
   * @param after only those beyond this key; absent to begin with the first
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
   * Names an entry. Subscriptions come before those who wait to become one.
   *
   * @param pending whether it is a request that waits for its callback to confirm it
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
   * What an entry must be like; an absent part matches all.
   *
   * @param state one that is kept; nobody is in another
   */
  record Filter(
      @Nullable String topic,
      @Nullable Protocol protocol,
      @Nullable SubscriptionState state,
      @Nullable String callback) {

    /** Matches everyone. */
    public static final Filter ALL = new Filter(null, null, null, null);
  }

  /**
   * One subscription, or one request for one.
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
   * What a laggard has not got.
   *
   * @param events of the feed after its cursor
   * @param since when the oldest of them was appended; absent if the log has none of them any more
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
