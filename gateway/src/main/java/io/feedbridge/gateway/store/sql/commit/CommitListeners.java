package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners that learn of the effects of commits. Thread-safe. */
public final class CommitListeners implements GroupCommit.CommitListener {

  private static final Logger log = LoggerFactory.getLogger(CommitListeners.class);

  private final Map<Effect, List<Runnable>> listeners = new EnumMap<>(Effect.class);

  private final List<Consumer<ChangedSubscriptions>> subscriptionListeners =
      new CopyOnWriteArrayList<>();

  /** No listeners. */
  public CommitListeners() {
    for (Effect effect : Effect.values()) {
      listeners.put(effect, new CopyOnWriteArrayList<>());
    }
  }

  /** Calls the listener after each commit that has the effect. */
  public void on(Effect effect, Runnable listener) {
    listeners.getOrDefault(effect, List.of()).add(listener);
  }

  /** Calls the listener after each commit that changed subscriptions. */
  public void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    subscriptionListeners.add(listener);
  }

  @Override
  public void committed(Set<Effect> effects, Optional<ChangedSubscriptions> changed) {
    changed.ifPresent(
        them ->
            subscriptionListeners.forEach(
                listener -> tell("SUBSCRIPTIONS", () -> listener.accept(them))));
    for (Effect effect : effects) {
      listeners.getOrDefault(effect, List.of()).forEach(listener -> tell(effect.name(), listener));
    }
  }

  /** Runs a listener. Its failure must not stop the other listeners or, at a stop, the writer. */
  private static void tell(String effect, Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      log.atError().addKeyValue("effect", effect).setCause(e).log("A listener of the store failed");
    }
  }
}
