package io.feedbridge.gateway.fanout;

/**
 * How many deliveries are in flight, how many of those by catch-up and to endpoints, and how many
 * to hosts that have not answered, or not at last. Guarded by {@link HostWindows}.
 */
final class Occupancy {

  private final HostWindows.Bounds bounds;
  private int inFlight;
  private int unproven;
  private final Share catchUp = new Share();
  private final Share endpoints = new Share();

  /** What one kind has of the places, beside the others. */
  private static final class Share {
    private int inFlight;
    private int unproven;

    boolean hasRoom(HostWindows.Bounds bounds, boolean answering) {
      return inFlight < bounds.catchUp() && (answering || unproven < bounds.unprovenCatchUp());
    }

    void count(boolean answering, int one) {
      inFlight += one;
      unproven += answering ? 0 : one;
    }
  }

  Occupancy(HostWindows.Bounds bounds) {
    this.bounds = bounds;
  }

  int inFlight() {
    return inFlight;
  }

  /** Whether one more of this kind may be in flight, to a host that answers or to another. */
  boolean hasRoom(HostWindows.Kind kind, boolean answering) {
    return inFlight < bounds.total()
        && (answering || unproven < bounds.unproven())
        && switch (kind) {
          case ROUND -> true;
          case CATCH_UP -> catchUp.hasRoom(bounds, answering);
          case ENDPOINT -> endpoints.hasRoom(bounds, answering);
        };
  }

  void entered(HostWindows.Kind kind, boolean answering) {
    count(kind, answering, 1);
  }

  void left(HostWindows.Kind kind, boolean answering) {
    count(kind, answering, -1);
  }

  private void count(HostWindows.Kind kind, boolean answering, int one) {
    inFlight += one;
    unproven += answering ? 0 : one;
    switch (kind) {
      case ROUND -> {}
      case CATCH_UP -> catchUp.count(answering, one);
      case ENDPOINT -> endpoints.count(answering, one);
    }
  }

  /** What is in flight to a host passes from the one part into the other. */
  void changed(HostWindow window) {
    int sign = window.isAnswering() ? -1 : 1;
    unproven += sign * window.inFlight;
    catchUp.unproven += sign * window.catchingUp;
    endpoints.unproven += sign * window.toEndpoints;
  }
}
