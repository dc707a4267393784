package io.feedbridge.gateway.cli;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** The reaction to SIGTERM and Ctrl-C. */
final class GracefulStop {

  /** The longest time of a stop, which then is given up: durable state is safe in any case. */
  private static final Duration LONGEST = Duration.ofMillis(9_500);

  private static final int STUCK = 1;

  private static final String CLOSING = "closing";

  /** The second one stops the gateway of a node, for which the first one waits. */
  private static final Set<String> STOPPING = Set.of(CLOSING, "node-stop");

  private final Thread hook;

  private GracefulStop(Thread hook) {
    this.hook = hook;
  }

  /**
   * Runs {@code stop} when the process is asked to end, which then exits with 0. Left to itself the
   * JVM would exit with the number of the signal, as if it had been killed.
   */
  static GracefulStop with(Runnable stop) {
    Thread hook =
        new Thread(
            () -> {
              Thread closing = new Thread(stop, CLOSING);
              closing.start();
              try {
                closing.join(LONGEST.toMillis());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              if (closing.isAlive()) {
                LoggerFactory.getLogger(GracefulStop.class)
                    .atWarn()
                    .addKeyValue("waits", waits())
                    .log("The stop took too long and was given up");
              }
              Runtime.getRuntime().halt(closing.isAlive() ? STUCK : 0);
            },
            "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    return new GracefulStop(hook);
  }

  /** The threads that stop parts of the gateway, with the calls that they wait in. */
  private static String waits() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(one -> STOPPING.contains(one.getKey().getName()))
        .map(one -> one.getKey().getName() + " " + List.of(one.getValue()))
        .collect(Collectors.joining("; "));
  }

  /** Takes it back, for a command that ends by itself with an exit code of its own. */
  void withdraw() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException stopping) {
      // The process was asked to end meanwhile, and ends the way that was asked for.
    }
  }
}
