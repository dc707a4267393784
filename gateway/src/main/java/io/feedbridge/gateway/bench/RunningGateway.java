package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.data.Wire;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The gateway that is measured. For one thread. */
final class RunningGateway implements AutoCloseable {

  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(2);
  private static final int NO_CONTENT = 204;

  private final Child process;
  private final int port;
  private @Nullable Wire wire;
  private Duration readyAfter = Duration.ZERO;

  RunningGateway(Child process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Waits until {@code /ready} says that it takes requests.
   *
   * @param begun when it was started, by {@link System#nanoTime}
   */
  void awaitReady(long begun) throws BenchException {
    while (!isReady()) {
      if (!process.isAlive() || System.nanoTime() - begun > READY_WITHIN.toNanos()) {
        // Says how it ended, or that it does not answer.
        process.answer(LOOK_AGAIN);
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
    readyAfter = Duration.ofNanos(System.nanoTime() - begun);
  }

  private boolean isReady() {
    try (Wire probe = new Wire(port)) {
      return probe.get("/ready") / 100 == 2;
    } catch (IOException e) {
      return false;
    }
  }

  /** The time from the start of the process until it was ready. */
  Duration readyAfter() {
    return readyAfter;
  }

  int port() {
    return port;
  }

  /** Says that a feed has changed; returns when that is durable. */
  void ping(String topic) throws BenchException {
    try {
      if (wire == null) {
        wire = new Wire(port);
      }
      String url = URLEncoder.encode(topic, StandardCharsets.UTF_8);
      int status = wire.form("/hub", "hub.mode=publish&hub.url=" + url);
      if (status != NO_CONTENT) {
        throw new BenchException("The gateway answered a ping with " + status);
      }
    } catch (IOException e) {
      throw new BenchException("The gateway could not be pinged: " + e.getMessage(), e);
    }
  }

  /** The value of a meter without labels in {@code /metrics}; 0 if it has not counted yet. */
  double meter(String name) throws BenchException {
    try (Wire probe = new Wire(port)) {
      return probe
          .text("/metrics")
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new BenchException("The gateway's meters could not be read: " + e.getMessage(), e);
    }
  }

  /** Seconds of processor time that it has used so far. */
  double cpuSeconds() {
    return process.cpu().toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /** Bytes that it has had the disk write so far; empty where the system does not tell. */
  Optional<Long> writtenBytes() {
    return process.writtenBytes();
  }

  Optional<Long> peakBytes() {
    return process.peakBytes();
  }

  @Override
  public void close() throws IOException {
    if (wire != null) {
      wire.close();
    }
    process.close();
  }
}
