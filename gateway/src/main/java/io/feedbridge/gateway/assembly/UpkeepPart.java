package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.retention.Retention;
import io.feedbridge.gateway.runtime.ClockWatch;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.subscribers.PolicySweep;
import java.time.Duration;

/** The upkeep of the store: times after a clock that was set back, policies, retention. */
final class UpkeepPart {

  private final PolicySweep sweep;
  private final ClockWatch clockWatch;
  private final Retention retention;

  UpkeepPart(Settings settings, Machines machines) {
    sweep = new PolicySweep(machines.store, machines.policies, machines.clock);
    clockWatch =
        new ClockWatch(machines.store.times(), machines.clock, machines.stages, machines.timer);
    clockWatch.bound(longer(settings.polling().max(), settings.polling().backup()));
    retention =
        new Retention(
            machines.store, settings.retention(), machines.stages, machines.timer, machines.meters);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  void start(Lifecycle lifecycle) {
    sweep.run();
    lifecycle.start(clockWatch::start, clockWatch::close);
    lifecycle.start(retention::start, retention::close);
  }
}
