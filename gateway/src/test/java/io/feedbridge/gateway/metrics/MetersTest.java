package io.feedbridge.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.work.Via;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class MetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Meters meters = new Meters(registry, Clock.systemUTC());

  private Set<Meter.Id> counters() {
    return registry.getMeters().stream()
        .filter(Counter.class::isInstance)
        .map(Meter::getId)
        .collect(Collectors.toSet());
  }

  @Test
  void each_counter_is_there_at_0_before_its_first_event_with_each_value_of_its_labels() {
    Set<Meter.Id> before = counters();

    assertThat(registry.find("feedbridge.gap.events").tag("reason", "retention").counter())
        .as("an alert looks for an increase from 0")
        .isNotNull()
        .extracting(Counter::count)
        .isEqualTo(0.0);
    for (Gap.Reason reason : Gap.Reason.values()) {
      meters.gap(reason, 500);
    }
    for (Protocol protocol : Protocol.values()) {
      for (DeliveryOutcome outcome : DeliveryOutcome.values()) {
        meters.delivery(protocol, outcome);
      }
    }
    for (Via via : Via.values()) {
      for (Meters.Ping outcome : Meters.Ping.values()) {
        meters.ping(via, outcome);
      }
      meters.event(via, 1, 1);
      meters.workGivenUp(via);
    }
    for (Meters.Fetch outcome : Meters.Fetch.values()) {
      meters.fetch(outcome, Duration.ofSeconds(1));
    }
    for (UpstreamSubscription.Kind kind : UpstreamSubscription.Kind.values()) {
      meters.upstreamRefused(kind);
    }
    meters.webhookDisabled();
    meters.fetchHeldBack();
    meters.trackerEntryPassedOver();
    meters.trackerEntryLeftOut();
    meters.eventsRemoved(1);
    meters.heldBack(1);
    assertThat(counters()).isEqualTo(before);
  }
}
