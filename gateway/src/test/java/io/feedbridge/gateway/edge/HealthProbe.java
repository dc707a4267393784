package io.feedbridge.gateway.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.RawClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Asks for {@code /health} all the while, from an address of its own, by a new connection each
 * time.
 */
final class HealthProbe implements AutoCloseable {

  private static final String REQUEST = "GET /health HTTP/1.1\nHost: a\nConnection: close\n\n";
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** What is promised. A machine that does other things too may break it once in a while. */
  private static final Duration PROMISED = Duration.ofSeconds(1);

  private final InetSocketAddress gateway;
  private final String from;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<Duration> answers = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "health-probe");

  HealthProbe(InetSocketAddress gateway, String from) {
    this.gateway = gateway;
    this.from = from;
    thread.start();
  }

  private void run() {
    try {
      do {
        probe();
      } while (!stop.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void probe() {
    long begun = System.nanoTime();
    try (RawClient client = new RawClient(gateway, from)) {
      int status = client.send(REQUEST).read().status();
      answers.add(Duration.ofNanos(System.nanoTime() - begun));
      if (status != 200) {
        failures.add("answered " + status);
      }
    } catch (IOException e) {
      failures.add(e.toString());
    }
  }

  /** Ends it; each answer but one in a hundred must have come within a second. */
  @Override
  public void close() {
    stop.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the last answer", e);
    }
    assertThat(failures).isEmpty();
    assertThat(answers).isNotEmpty();
    long late = answers.stream().filter(took -> took.compareTo(PROMISED) > 0).count();
    assertThat(late)
        .as("late answers of " + answers.size())
        .isLessThanOrEqualTo(answers.size() / 100);
  }
}
