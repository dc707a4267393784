package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the steps of subscriptions. Whatever writes their rows tells it here, after the commit.
 * Thread-safe.
 */
public final class Transitions {

  private static final Logger log = LoggerFactory.getLogger(Transitions.class);

  private final List<Consumer<Transition>> listeners = new CopyOnWriteArrayList<>();

  public void add(Consumer<Transition> listener) {
    listeners.add(listener);
  }

  /**
   * The transitions of one run of a transaction, told after its commit; used by one thread at a
   * time.
   */
  public static final class Told {
    private final List<Transition> all = new ArrayList<>();

    public void add(SubscriptionState state, String topic, String callback, String why) {
      all.add(new Transition(state, topic, callback, false, why));
    }

    /** A request about a subscription came to nothing, so that it stays in its state. */
    void refused(SubscriptionState state, String topic, String callback, String why) {
      all.add(new Transition(state, topic, callback, true, why));
    }

    /** Adds a transition of a subscription to a feed. */
    public void add(
        Handle handle, SubscriptionState state, long feedId, String callback, String why) {
      add(state, Transitions.topic(handle, feedId), callback, why);
    }
  }

  /** A transaction that makes steps of subscriptions. */
  public interface Step<T extends @Nullable Object> {
    /** Runs in the transaction; see {@link Database.Transaction#run}. */
    T run(Handle handle, Set<Effect> effects, Told told);
  }

  /**
   * Runs a transaction, and tells its steps after the commit: the ones of its last run, where it
   * ran again.
   *
   * @param write of the database
   */
  public <T extends @Nullable Object> CompletableFuture<T> step(
      Function<Database.Transaction<T>, CompletableFuture<T>> write, Step<T> step) {
    AtomicReference<Told> last = new AtomicReference<>(new Told());
    return write
        .apply(
            (handle, effects) -> {
              Told told = new Told();
              last.set(told);
              return step.run(handle, effects, told);
            })
        .thenApply(
            done -> {
              tell(Objects.requireNonNull(last.get()));
              return done;
            });
  }

  public static String topic(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT topic FROM feed WHERE id = :id")
        .bind("id", feedId)
        .mapTo(String.class)
        .one();
  }

  /** Tells the steps of a transaction that is committed. */
  public void tell(Told told) {
    for (Transition transition : told.all) {
      for (Consumer<Transition> listener : listeners) {
        try {
          listener.accept(transition);
        } catch (RuntimeException e) {
          log.atError()
              .addKeyValue("transition", transition)
              .setCause(e)
              .log("A listener of the store failed");
        }
      }
    }
  }
}
