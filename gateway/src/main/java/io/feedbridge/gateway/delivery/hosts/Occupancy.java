package io.feedbridge.gateway.delivery.hosts;

/**
 * How many deliveries are in flight in all, by catch-up, to endpoints, and, of each of these, to
 * hosts that have not answered, or not at last. Guarded by {@link HostBulkheads}.
 */
final class Occupancy {

  private final DeliveryBounds bounds;
  private int inFlight;
  private int unproven;
  private final Share catchUp = new Share();
  private final Share endpoints = new Share();

  /** The places that one kind of delivery takes, beside the others. */
  private static final class Share {
    private int inFlight;
    private int unproven;

    boolean hasRoom(DeliveryBounds bounds, boolean answering) {
      return inFlight < bounds.catchUp() && (answering || unproven < bounds.unprovenCatchUp());
    }

    void count(boolean answering, int one) {
      inFlight += one;
      unproven += answering ? 0 : one;
    }
  }

  Occupancy(DeliveryBounds bounds) {
    this.bounds = bounds;
  }

  int inFlight() {
    return inFlight;
  }

  /** Whether one more of this kind may be in flight, to a host that answers or to another. */
  boolean hasRoom(DeliveryKind kind, boolean answering) {
    return inFlight < bounds.total()
        && (answering || unproven < bounds.unproven())
        && switch (kind) {
          case ROUND -> true;
          case CATCH_UP -> catchUp.hasRoom(bounds, answering);
          case ENDPOINT -> endpoints.hasRoom(bounds, answering);
        };
  }

  void entered(DeliveryKind kind, boolean answering) {
    count(kind, answering, 1);
  }

  void left(DeliveryKind kind, boolean answering) {
    count(kind, answering, -1);
  }

  private void count(DeliveryKind kind, boolean answering, int one) {
    inFlight += one;
    unproven += answering ? 0 : one;
    switch (kind) {
      case ROUND -> {}
      case CATCH_UP -> catchUp.count(answering, one);
      case ENDPOINT -> endpoints.count(answering, one);
    }
  }

  /** Moves a host's deliveries in flight from the unproven part into the other, or back. */
  void changed(HostBulkhead window) {
    int sign = window.isAnswering() ? -1 : 1;
    unproven += sign * window.inFlight;
    catchUp.unproven += sign * window.catchingUp;
    endpoints.unproven += sign * window.toEndpoints;
  }
}
