package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.micrometer.core.instrument.binder.jvm.ExecutorServiceMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

/** The registry with the meters of the gateway, of its server, its pools and the JVM. */
final class MetersPart {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final AtomicInteger connections = new AtomicInteger();
  private final Meters meters;

  MetersPart(Clock clock) {
    meters = new Meters(registry, clock);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    collections.bindTo(registry);
    meters.gauge("feedbridge.server.connections", "Inbound connections", connections::get);
  }

  PrometheusMeterRegistry registry() {
    return registry;
  }

  Meters meters() {
    return meters;
  }

  void watch(ExecutorService pool, String name) {
    new ExecutorServiceMetrics(pool, name, List.of()).bindTo(registry);
  }

  ServerObserver serverObserver() {
    Meters.Counts<ServerObserver.Crowding> closed =
        meters.counts(
            "feedbridge.server.connections.closed",
            "Inbound connections closed for want of room, by reason",
            "reason",
            ServerObserver.Crowding.class);
    return new ServerObserver() {
      @Override
      public void requestFinished(String route, String method, int status, Duration took) {
        meters.request(route, method, status, took);
      }

      @Override
      public void connections(int open) {
        connections.set(open);
      }

      @Override
      public void connectionClosed(Crowding why) {
        closed.add(why);
      }
    };
  }

  void close() {
    collections.close();
    registry.close();
  }
}
