package io.feedbridge.gateway.fanout;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
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
 * The subscribers whom rounds serve, those of late kept in memory: to read a subscription for each
 * event, and to make anew what its deliveries have in common, took as long as all else that a
 * delivery takes. One that is changed or ends is forgotten before whoever changed it learns that
 * this is done (rule L7). Thread-safe.
 */
final class Recipients {

  /** What is kept, as {@link Recipient#bytes} counts it: some 25,000 subscriptions. */
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
  Recipients(Store store, Executor executor) {
    this.store = store;
    this.executor = executor;
  }

  void start() {
    store.onSubscriptionsChanged(this::changed);
  }

  private void changed(ChangedSubscriptions changed) {
    // Counted first: whoever has read an old one and keeps it only now finds that out.
    changes.incrementAndGet();
    if (changed.any()) {
      kept.invalidateAll();
    } else {
      kept.invalidateAll(changed.ids());
    }
  }

  /** Up to when changes are seen by who reads now. */
  long asOfNow() {
    return changes.get();
  }

  /** Those with these ids, in their order, who have not ended. Blocks. */
  List<Recipient> of(List<Long> ids) {
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
      // One of them may have been changed between the reading and the keeping.
      kept.invalidateAll(ids);
    }
    return read;
  }

  /**
   * Whether nothing has changed it since it was read.
   *
   * @param readAt {@link #asOfNow} from before that
   */
  boolean isCurrent(Recipient recipient, long readAt) {
    return changes.get() == readAt || kept.getIfPresent(recipient.subscription.id()) == recipient;
  }

  /**
   * What is made of the subscription as it is now; empty if it has ended. Never blocks.
   *
   * @param make runs on the executor and may block
   */
  <T> CompletableFuture<Optional<T>> read(
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
