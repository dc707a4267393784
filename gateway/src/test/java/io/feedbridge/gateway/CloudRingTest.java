package io.feedbridge.gateway;

import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.RingOrigin;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.RssCloud;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A ring of gateways that are registered at each other's clouds, over as many hours as a
 * registration lasts.
 */
class CloudRingTest {

  private static final int GATEWAYS = 3;
  private static final int STEPS_OF_A_LEASE = 2;

  private final List<TestGateway> ring = new ArrayList<>();

  @TempDir Path folder;

  @Test
  void it_ends_within_two_leases_after_its_readers_left() {
    List<Integer> ports = IntStream.range(0, GATEWAYS).mapToObj(number -> FreePort.next()).toList();
    List<String> urls = ports.stream().map(port -> "http://127.0.0.1:" + port).toList();
    try (RingOrigin origin = new RingOrigin(urls, RingOrigin.Through.CLOUDS);
        FakeSubscriber subscriber = new FakeSubscriber()) {
      start(ports, Duration.ZERO);
      for (TestGateway gateway : ring) {
        gateway.subscribe(origin.topic(), subscriber.url("reader"));
      }
      World.until(
          () -> sum("following WHERE state IN ('ACTIVE', 'REFUSED')") == GATEWAYS && isOpen());
      unsubscribe(origin, subscriber);
      // A gateway without a registered one lets go at once; the registrations of the others stay.
      World.until(() -> sum("feed WHERE followed = 1") < GATEWAYS);

      for (int step = 1; step <= 2 * STEPS_OF_A_LEASE; step++) {
        stop();
        start(ports, RssCloud.REGISTRATION_LIFETIME.multipliedBy(step).dividedBy(STEPS_OF_A_LEASE));
        ring.forEach(TestGateway::settle);
      }
      World.until(() -> sum("subscription") == 0 && sum("feed WHERE followed = 1") == 0);
    } finally {
      stop();
    }
  }

  private void start(List<Integer> ports, Duration later) {
    Clock clock = Clock.offset(Clock.systemUTC(), later);
    for (int port : ports) {
      ring.add(TestGateway.timedBy(clock, folder.resolve("data" + port), port));
    }
  }

  private void stop() {
    ring.forEach(TestGateway::close);
    ring.clear();
  }

  private boolean isOpen() {
    return ring.stream().allMatch(gateway -> gateway.rows().settled())
        && sum("following WHERE state = 'REFUSED'") > 0
        && sum("following WHERE state = 'ACTIVE' AND next_action_at < " + soon()) == 0
        && sum("following WHERE state = 'ACTIVE'")
            == sum("subscription WHERE protocol = 'RSSCLOUD'")
        && sum("subscription WHERE protocol = 'WEBSUB'") == GATEWAYS;
  }

  private static long soon() {
    return Instant.now().plus(Duration.ofMinutes(1)).toEpochMilli();
  }

  private int sum(String tableAndCondition) {
    return ring.stream().mapToInt(gateway -> gateway.rows().count(tableAndCondition)).sum();
  }

  private void unsubscribe(RingOrigin origin, FakeSubscriber subscriber) {
    for (TestGateway gateway : ring) {
      gateway.form(
          "/hub",
          "hub.mode",
          "unsubscribe",
          "hub.topic",
          origin.topic(),
          "hub.callback",
          subscriber.url("reader"));
    }
    World.until(() -> sum("subscription WHERE protocol = 'WEBSUB'") == 0);
  }
}
