package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.SetClock;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A system clock that is set back makes no wait of the gateway longer. */
class ClockSetBackTest {

  private static final Duration DAY = Duration.ofDays(1);

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final SetClock clock = new SetClock();

  @TempDir Path data;

  @BeforeEach
  void serve() {
    origin.rss("feed.xml", "", "one");
  }

  @AfterEach
  void stop() {
    subscriber.close();
    origin.close();
  }

  private TestGateway started() {
    return TestGateway.timedBy(clock, data, Duration.ofSeconds(1));
  }

  private void follow(TestGateway gateway) {
    String topic = origin.url("feed.xml");
    assertThat(gateway.subscribe(topic, subscriber.url("one")).statusCode()).isEqualTo(202);
    untilPolled(1);
    gateway.settle();
  }

  private void untilPolled(int times) {
    int before = origin.requests("feed.xml").size();
    World.until(() -> origin.requests("feed.xml").size() >= before + times);
  }

  @Test
  void feeds_are_polled_and_delivered_after_the_clock_was_set_back_while_it_runs() {
    try (TestGateway gateway = started()) {
      follow(gateway);
      untilPolled(1);

      clock.set(DAY.negated());

      untilPolled(2);
      origin.rss("feed.xml", "", "two", "one");
      World.until(() -> subscriber.bodies("one").stream().anyMatch(body -> body.contains("two")));
      assertThat(gateway.meter("feedbridge_clock_ahead_seconds")).isGreaterThan(80_000);
    }
  }

  @Test
  void feeds_are_polled_after_the_clock_was_set_back_between_two_runs() {
    try (TestGateway gateway = started()) {
      follow(gateway);
    }

    clock.set(DAY.negated());

    try (TestGateway gateway = started()) {
      untilPolled(2);
      assertThat(gateway.meter("feedbridge_clock_ahead_seconds")).isZero();
    }
  }
}
