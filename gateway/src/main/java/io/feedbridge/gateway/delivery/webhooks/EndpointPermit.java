package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The place among all deliveries that one endpoint has or waits for. An endpoint that waits holds
 * nothing else. Safe for use by several threads; permits are left outside its lock.
 */
final class EndpointPermit {

  private final HostBulkheads windows;
  private @Nullable Waiter waiter;
  private @Nullable Waiter granted;
  private boolean closed;

  EndpointPermit(HostBulkheads windows) {
    this.windows = windows;
  }

  private final class Waiter implements HostBulkheads.Waiting {
    private final String host;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private HostBulkheads.@Nullable Permit permit;

    Waiter(String host) {
      this.host = host;
    }

    @Override
    public void begin(HostBulkheads.Permit given) {
      permit = given;
      if (isMine()) {
        ready.complete(null);
      } else {
        given.leave();
      }
    }

    private boolean isMine() {
      synchronized (EndpointPermit.this) {
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
   * Makes sure of a permit at an endpoint's host, for {@link #take} or {@link #release}.
   *
   * @return false if it has to wait until it is {@link #ready}
   */
  boolean reserve(WebhookEndpoint endpoint) {
    Optional<HostBulkheads.Permit> permit = take(endpoint);
    if (permit.isEmpty()) {
      return false;
    }
    Waiter has = new Waiter(endpoint.host());
    has.permit = permit.get();
    synchronized (this) {
      granted = has;
    }
    return true;
  }

  /** A place at a host: the granted one, or one that is free; empty if the endpoint has to wait. */
  Optional<HostBulkheads.Permit> take(WebhookEndpoint endpoint) {
    String host = endpoint.host();
    Waiter had;
    synchronized (this) {
      had = granted;
      granted = null;
    }
    if (had != null && had.permit != null) {
      if (had.host.equals(host)) {
        return Optional.of(had.permit);
      }
      had.permit.leave();
    }
    Waiter next = new Waiter(host);
    synchronized (this) {
      if (closed) {
        return Optional.empty();
      }
      waiter = next;
    }
    Optional<HostBulkheads.Permit> permit = windows.enterEndpoint(host, endpoint.url(), next);
    if (permit.isPresent()) {
      synchronized (this) {
        waiter = waiter == next ? null : waiter;
      }
    }
    return permit;
  }

  /** Completes when there is a permit after {@link #take} found none; at once if there is one. */
  synchronized CompletionStage<Void> ready() {
    return waiter == null ? CompletableFuture.completedFuture(null) : waiter.ready;
  }

  /** Gives back the granted place, if it was not used. */
  void release() {
    Waiter had;
    synchronized (this) {
      had = granted;
      granted = null;
    }
    if (had != null && had.permit != null) {
      had.permit.leave();
    }
  }

  /** Ends the wait and gives back the granted place. */
  void close() {
    Waiter waits;
    synchronized (this) {
      closed = true;
      waits = waiter;
      waiter = null;
    }
    if (waits != null) {
      // A place that was granted just now is left as soon as it is handed over.
      windows.withdraw(waits.host, waits);
    }
    release();
  }
}
