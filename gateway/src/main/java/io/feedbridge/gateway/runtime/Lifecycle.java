package io.feedbridge.gateway.runtime;

import io.feedbridge.gateway.failpoint.Failpoint;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running parts of a gateway, in the order of their start. Each part is stopped after all parts
 * that were started later, even if stopping a later part fails. Used by one thread at a time.
 */
public final class Lifecycle implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);

  private final Deque<Stop> stops = new ArrayDeque<>();

  /** The end of a part. */
  public interface Stop {
    void run() throws Exception;
  }

  /** Registers the end of a part that runs already. */
  public void onStop(Stop stop) {
    stops.push(stop);
  }

  /** Starts a part, and registers its end. */
  public void start(Runnable start, Stop stop) {
    start.run();
    stops.push(stop);
  }

  /** Stops every part, the last started first. Repeating it does nothing. */
  @Override
  public void close() {
    while (!stops.isEmpty()) {
      Failpoint.MID_SHUTDOWN.reached();
      Stop stop = stops.pop();
      try {
        stop.run();
      } catch (Exception e) {
        log.atError().setCause(e).log("A part of the gateway did not stop well");
      }
    }
  }
}
