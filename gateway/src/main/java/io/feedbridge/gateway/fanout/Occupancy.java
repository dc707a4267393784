package io.feedbridge.gateway.fanout;

/**
 * How many deliveries are in flight, how many of those by catch-up, and how many to hosts that have
 * not answered, or not at last. Guarded by {@link HostWindows}.
 */
final class Occupancy {

  private final HostWindows.Bounds bounds;
  private int inFlight;
  private int unproven;
  private int catchingUp;
  private int unprovenCatchingUp;

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
        && (kind == HostWindows.Kind.ROUND
            || (catchingUp < bounds.catchUp()
                && (answering || unprovenCatchingUp < bounds.unprovenCatchUp())));
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
    if (kind == HostWindows.Kind.CATCH_UP) {
      catchingUp += one;
      unprovenCatchingUp += answering ? 0 : one;
    }
  }

  /** What is in flight to a host passes from the one part into the other. */
  void changed(HostWindow window) {
    int sign = window.isAnswering() ? -1 : 1;
    unproven += sign * window.inFlight;
    unprovenCatchingUp += sign * window.catchingUp;
  }
}
