package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.firehose.Firehose;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.podping.Podpings;
import io.feedbridge.gateway.poll.PollTimer;
import io.feedbridge.gateway.runtime.Lifecycle;
import java.util.Optional;

/** Sources of work that the gateway asks itself: the poll timer, Podping, other firehoses. */
final class SourcesPart {

  private final PollTimer polls;
  private final Optional<Podpings> podpings;
  private final Optional<Firehose> firehose;

  SourcesPart(Settings settings, Machines machines, Intake intake) {
    Machines.Owned owned = machines.owned();
    polls = new PollTimer(machines.store, machines.work, machines.stages, machines.timer);
    podpings =
        settings
            .outbound()
            .podping()
            .map(
                node ->
                    new Podpings(
                            machines.store,
                            intake,
                            owned.client(),
                            node,
                            owned.owns(),
                            machines.stages,
                            machines.timer)
                        .watchedBy(machines.meters));
    firehose =
        settings
            .outbound()
            .firehose()
            .map(
                socket ->
                    new Firehose(
                            machines.store,
                            intake,
                            socket,
                            owned.owns(),
                            machines.stages,
                            machines.timer)
                        .watchedBy(machines.meters));
  }

  void start(Lifecycle lifecycle) {
    lifecycle.start(polls::start, polls::close);
    podpings.ifPresent(one -> lifecycle.start(one::start, one::close));
    firehose.ifPresent(one -> lifecycle.start(one::start, one::close));
  }
}
