package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the storage can be written. Logged when that changes, not with every write that is
 * refused. Thread-safe.
 */
public final class Health {

  private static final Logger log = LoggerFactory.getLogger(Health.class);

  private final Clock clock;
  private final Consumer<String> onLasting;
  private volatile StoreHealth state = StoreHealth.WRITABLE;

  /**
   * A storage that can be written.
   *
   * @param onLasting told the reason once, when nothing but a restart helps; must not block
   */
  public Health(Clock clock, Consumer<String> onLasting) {
    this.clock = clock;
    this.onLasting = onLasting;
  }

  /** The state at this moment. */
  public StoreHealth state() {
    return state;
  }

  /** Why a write is refused without being tried, if it is. */
  Optional<StoreException> refusal() {
    return state instanceof StoreHealth.Refusing refusing
        ? Optional.of(StoreException.noWrites(refusing.reason()))
        : Optional.empty();
  }

  /** Whether nothing but a restart helps. */
  boolean isLasting() {
    return state instanceof StoreHealth.Refusing refusing && refusing.lasting();
  }

  /** Refuses writes from now on. A lasting failure is not replaced by a passing one. */
  public synchronized void failed(StorageFailure failure, Throwable cause) {
    Instant since = clock.instant();
    if (state instanceof StoreHealth.Refusing before) {
      if (before.lasting() || (!failure.lasting() && before.reason().equals(failure.reason()))) {
        return;
      }
      since = before.since();
    }
    state = new StoreHealth.Refusing(since, failure.reason(), failure.lasting());
    log.atError()
        .addKeyValue("reason", failure.reason())
        .setCause(cause)
        .log("The store takes no writes");
    if (failure.lasting()) {
      onLasting.accept(failure.reason());
    }
  }

  /** Records that a write succeeded. */
  synchronized void recovered() {
    if (state instanceof StoreHealth.Refusing before && !before.lasting()) {
      state = StoreHealth.WRITABLE;
      log.atInfo()
          .addKeyValue("after", Duration.between(before.since(), clock.instant()))
          .log("The store takes writes again");
    }
  }
}
