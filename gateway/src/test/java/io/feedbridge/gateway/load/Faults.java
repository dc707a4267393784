package io.feedbridge.gateway.load;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes hosts misbehave in turn, each for some seconds, and heals them. For one thread, on which
 * its actions run.
 */
final class Faults {

  private static final Duration SHORTEST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofSeconds(8);

  private static final List<Consumer<LocalHost>> KINDS =
      List.of(
          LocalHost::refuse,
          LocalHost::swallow,
          host -> host.manner(Manner.HANGING),
          host -> host.manner(Manner.RESETTING),
          host -> host.manner(Manner.CLOSING),
          host -> host.manner(Manner.failing(500)),
          host -> host.manner(Manner.failing(503)),
          host -> host.manner(Manner.after(Duration.ofSeconds(2))),
          host -> host.manner(Manner.after(Duration.ofSeconds(9))));

  private final ScheduledExecutorService thread;
  private final Random random;
  private final Deque<LocalHost> well;
  private int injected;

  Faults(List<LocalHost> hosts, ScheduledExecutorService thread, Random random) {
    this.thread = thread;
    this.random = random;
    well = new ArrayDeque<>(hosts);
  }

  /** The host that has been well the longest misbehaves for a while, if one is left. */
  void inject() {
    LocalHost host = well.poll();
    if (host == null) {
      return;
    }
    injected++;
    KINDS.get(random.nextInt(KINDS.size())).accept(host);
    long millis = random.nextLong(SHORTEST.toMillis(), LONGEST.toMillis());
    var unused = thread.schedule(() -> heal(host), millis, TimeUnit.MILLISECONDS);
  }

  private void heal(LocalHost host) {
    host.manner(Manner.PROMPT);
    host.revive();
    well.add(host);
  }

  int injected() {
    return injected;
  }

  /** How many hosts misbehave now. */
  int underWay(int hosts) {
    return hosts - well.size();
  }
}
