package io.feedbridge.gateway.delivery.send;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The subscribers that rounds serve; recently used ones are kept in memory. Reading a subscription
 * for each event, and making the shared parts of its deliveries anew, took as long as the rest of a
 * delivery. A subscription that is changed or ends is forgotten before the call that changed it
 * completes (rule L7). Thread-safe.
 */
public final class Recipients {

  /**
   * Bytes of the recipients that are kept, by {@link Recipient#bytes}: some 25,000 subscriptions.
   */
  static final long MAX_KEPT_BYTES = 32L << 20;

  private final Store store;
  private final Executor executor;
  private final Cache<Long, Recipient> kept =
      Caffeine.newBuilder()
          .maximumWeight(MAX_KEPT_BYTES)
          .weigher((Long id, Recipient recipient) -> recipient.bytes())
          // Its upkeep is small, and no other thread is to be waited for at a stop.
          .executor(Runnable::run)
          .build();
  private final AtomicLong changes = new AtomicLong();

  /**
   * Knows of no change before {@link #start}.
   *
   * @param executor where subscriptions are read again
   */
  public Recipients(Store store, Executor executor) {
    this.store = store;
    this.executor = executor;
  }

  public void start() {
    store.onSubscriptionsChanged(this::changed);
  }

  private void changed(ChangedSubscriptions changed) {
    // Counted first: a thread that has read an old version and keeps it only now notices the
    // change.
    changes.incrementAndGet();
    if (changed.any()) {
      kept.invalidateAll();
    } else {
      kept.invalidateAll(changed.ids());
    }
  }

  /** The number of changes so far; a later read sees all of them. */
  public long asOfNow() {
    return changes.get();
  }

  /** The subscribers with these ids that have not ended, in the order of the ids. Blocks. */
  public List<Recipient> of(List<Long> ids) {
    Map<Long, Recipient> known = new HashMap<>(kept.getAllPresent(ids));
    if (known.size() < ids.size()) {
      read(ids.stream().filter(id -> !known.containsKey(id)).toList())
          .forEach(recipient -> known.put(recipient.subscription.id(), recipient));
    }
    List<Recipient> found = new ArrayList<>(ids.size());
    for (Long id : ids) {
      Recipient recipient = known.get(id);
      if (recipient != null) {
        found.add(recipient);
      }
    }
    return found;
  }

  private List<Recipient> read(List<Long> ids) {
    long before = changes.get();
    List<Recipient> read = store.subscriptions().byIds(ids).stream().map(Recipient::new).toList();
    read.forEach(recipient -> kept.put(recipient.subscription.id(), recipient));
    if (changes.get() != before) {
      // A subscription may have been changed between the reading and the keeping.
      kept.invalidateAll(ids);
    }
    return read;
  }

  /**
   * Whether nothing has changed the subscription since it was read.
   *
   * @param readAt {@link #asOfNow} from before the read
   */
  public boolean isCurrent(Recipient recipient, long readAt) {
    return changes.get() == readAt || kept.getIfPresent(recipient.subscription.id()) == recipient;
  }

  /**
   * Applies a function to the subscription as it is now; empty if it has ended. Never blocks.
   *
   * @param make runs on the executor and may block
   */
  public <T> CompletableFuture<Optional<T>> read(
      Subscription subscription, Function<Recipient, Optional<T>> make) {
    try {
      return CompletableFuture.supplyAsync(
          () -> store.subscriptions().byId(subscription.id()).map(Recipient::new).flatMap(make),
          executor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
