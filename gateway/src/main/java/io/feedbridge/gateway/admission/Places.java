package io.feedbridge.gateway.admission;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Places for the requests of callers that hold something of the gateway until a third party
 * answers. Each caller and each third party has a share of the places. Never blocks; safe for use
 * by several threads.
 */
public final class Places {

  private final Permits<String, Void> callers;
  private final Permits<String, Waiter> thirds;

  private record Waiter(Place place, CompletableFuture<Place> turn) {
    private void go() {
      turn.complete(place);
    }
  }

  /**
   * Free places.
   *
   * @param ofCaller requests of one caller that have a place or wait for one
   * @param places of all, with the third parties as keys
   */
  public Places(int ofCaller, Permits.Bounds places) {
    callers = new Permits<>(Permits.Bounds.perKey(ofCaller));
    thirds = new Permits<>(places);
  }

  /**
   * Takes a place, or waits for one.
   *
   * @param caller as limits tell callers apart
   * @param third the host that is waited for
   * @return the place, once it is there; empty if the request has to be refused
   */
  public Optional<CompletableFuture<Place>> enter(String caller, String third) {
    if (!callers.tryTake(caller)) {
      return Optional.empty();
    }
    Waiter waiter = new Waiter(new Place(caller, third), new CompletableFuture<>());
    return switch (thirds.take(third, waiter)) {
      case TAKEN -> Optional.of(CompletableFuture.completedFuture(waiter.place));
      case WAITS -> Optional.of(waiter.turn);
      case REFUSED -> {
        var unused = callers.giveBack(caller);
        yield Optional.empty();
      }
    };
  }

  /**
   * Takes a place if there is one now.
   *
   * @param caller as limits tell callers apart
   * @param third the host that is waited for
   */
  public Optional<Place> tryEnter(String caller, String third) {
    if (!callers.tryTake(caller)) {
      return Optional.empty();
    }
    if (!thirds.tryTake(third)) {
      var unused = callers.giveBack(caller);
      return Optional.empty();
    }
    return Optional.of(new Place(caller, third));
  }

  /** Places that are taken. */
  public int taken() {
    return thirds.taken();
  }

  /** A place, which is held until it is closed. Closing it again does nothing. */
  public final class Place implements AutoCloseable {
    private final String caller;
    private final String third;
    private final AtomicBoolean left = new AtomicBoolean();

    private Place(String caller, String third) {
      this.caller = caller;
      this.third = third;
    }

    /** Leaves the place. A request that waited for it goes on in this thread. */
    @Override
    public void close() {
      if (left.compareAndSet(false, true)) {
        var unused = callers.giveBack(caller);
        thirds.giveBack(third).map(Permits.Next::value).ifPresent(Waiter::go);
      }
    }
  }
}
