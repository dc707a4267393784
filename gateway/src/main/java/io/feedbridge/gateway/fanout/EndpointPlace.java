package io.feedbridge.gateway.fanout;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The place among all deliveries that one endpoint has or waits for. Whoever waits holds nothing
 * else meanwhile. Safe for use by several threads; places are left outside its lock.
 */
final class EndpointPlace {

  private final HostWindows windows;
  private @Nullable Waiter waiter;
  private @Nullable Waiter granted;
  private boolean closed;

  EndpointPlace(HostWindows windows) {
    this.windows = windows;
  }

  private final class Waiter implements HostWindows.Waiting {
    private final String host;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private HostWindows.@Nullable Place place;

    Waiter(String host) {
      this.host = host;
    }

    @Override
    public void begin(HostWindows.Place given) {
      place = given;
      if (isMine()) {
        ready.complete(null);
      } else {
        given.leave();
      }
    }

    private boolean isMine() {
      synchronized (EndpointPlace.this) {
        if (closed || waiter != this) {
          return false;
        }
        waiter = null;
        granted = this;
        return true;
      }
    }
  }

  /**
   * Makes sure of a place at a host, for {@link #take} or {@link #release}.
   *
   * @return false if it has to wait until it is {@link #ready}
   */
  boolean reserve(String host) {
    Optional<HostWindows.Place> place = take(host);
    if (place.isEmpty()) {
      return false;
    }
    Waiter has = new Waiter(host);
    has.place = place.get();
    synchronized (this) {
      granted = has;
    }
    return true;
  }

  /**
   * A place at a host: the one that it waited for, or one that is free; empty if it has to wait.
   */
  Optional<HostWindows.Place> take(String host) {
    Waiter had;
    synchronized (this) {
      had = granted;
      granted = null;
    }
    if (had != null && had.place != null) {
      if (had.host.equals(host)) {
        return Optional.of(had.place);
      }
      had.place.leave();
    }
    Waiter next = new Waiter(host);
    synchronized (this) {
      if (closed) {
        return Optional.empty();
      }
      waiter = next;
    }
    Optional<HostWindows.Place> place = windows.enterEndpoint(host, next);
    if (place.isPresent()) {
      synchronized (this) {
        waiter = waiter == next ? null : waiter;
      }
    }
    return place;
  }

  /** Completes when there is a place after {@link #take} found none; at once if there is one. */
  synchronized CompletionStage<Void> ready() {
    return waiter == null ? CompletableFuture.completedFuture(null) : waiter.ready;
  }

  /** Gives back what it has, if there is nothing to use it for. */
  void release() {
    Waiter had;
    synchronized (this) {
      had = granted;
      granted = null;
    }
    if (had != null && had.place != null) {
      had.place.leave();
    }
  }

  /** Waits no more and has none any more. */
  void close() {
    Waiter waits;
    synchronized (this) {
      closed = true;
      waits = waiter;
      waiter = null;
    }
    if (waits != null) {
      // If it was granted just now, it is left when that is told.
      windows.withdraw(waits.host, waits);
    }
    release();
  }
}
