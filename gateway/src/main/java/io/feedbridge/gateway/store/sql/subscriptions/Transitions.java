package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
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

  /** The transitions of one transaction, told after its commit; used by one thread at a time. */
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

  public static String topic(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT topic FROM feed WHERE id = :id")
        .bind("id", feedId)
        .mapTo(String.class)
        .one();
  }

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
